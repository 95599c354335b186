import fs from "node:fs";
import { expect, test } from "vitest";
import { testOperations } from "@/tests/support/contract/operation-contract";
import { GROUPS } from "@/tests/support/contract/operations";

testOperations("other-groups");

test("every group of operations has a test file here", () => {
  const files = fs.readdirSync(import.meta.dirname).map((name) => name.replace(".test.ts", ""));
  expect(files.sort()).toEqual(Object.keys(GROUPS).sort());
});
