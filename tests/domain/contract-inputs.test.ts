// Everything that the contract allows in a request is accepted, except what scripts/lib/contract-reasons.ts explains.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { rejectedInputs } from "@/scripts/lib/contract-inputs";
import { reasonFor } from "@/scripts/lib/contract-reasons";
import { compareWithContract } from "@/scripts/lib/contract-table";

const FOLDER = path.resolve("..", "shared/contract");
const isBeside = fs.existsSync(FOLDER);
if (!isBeside) console.warn("skipped: the contract is not beside the project");

const read = (name: string) => JSON.parse(fs.readFileSync(path.join(FOLDER, name), "utf8"));

test.skipIf(!isBeside)("no request that the contract allows is rejected without a reason", () => {
  const rows = compareWithContract(read("operations.json"), read("schemas.json"));
  const unexplained = rows.flatMap(({ resource, method, path: where, differences }) =>
    differences
      .filter(({ at }) => !at.startsWith("response"))
      .filter(({ at, problem }) => reasonFor({ resource, at, problem }) === null)
      .map(({ at, problem }) => `${method} ${where}: ${at} ${problem}`),
  );
  expect(unexplained).toEqual([]);
});

describe("what a schema rejects of", () => {
  const named = { Unit: { type: "string", enum: ["mg", "ml"] } };

  test.each([
    ["an integer", z.int(), { type: "integer" }, []],
    ["an integer in a text", z.string(), { type: "integer" }, ["rejects 1"]],
    ["a decimal", z.string(), { type: "string", format: "decimal" }, ["rejects 1", "rejects 1.5"]],
    ["null", z.int(), { type: "integer", nullable: true }, ["rejects null"]],
    ["values of an enumeration", z.enum(["mg"]), { ref: "Unit" }, ['rejects "ml"']],
    ["a blank enumeration", z.enum(["mg", "ml"]), { ref: "Unit", blank: true }, ['rejects ""']],
    ["a blank enumeration that can be null", z.enum(["mg", "ml"]).nullable(), { ref: "Unit", blank: true }, []],
    [
      "a time with a zone",
      z.iso.datetime(),
      { type: "string", format: "date-time" },
      [expect.stringContaining("+05:30")],
    ],
    ["an empty list", z.array(z.string()).min(1), { type: "array", items: { type: "string" } }, ["rejects []"]],
  ])("%s", (_what, field, facts, problems) => {
    const found = rejectedInputs(z.object({ field }), { fields: { field: facts } }, named);
    expect(found).toEqual(problems.map((problem) => ({ at: "field", problem })));
  });

  test("null entries of a list, and fields of objects in it", () => {
    const ours = z.object({ list: z.array(z.object({ size: z.int(), unit: z.string() })) });
    const entry = { nullable: true, type: "object", fields: { size: { type: "integer" }, unit: { type: "string" } } };
    expect(rejectedInputs(ours, { fields: { list: { type: "array", items: entry } } }, {})).toEqual([
      { at: "list", problem: "rejects [{}]" },
      { at: "list[]", problem: "rejects {}" },
      { at: "list[]", problem: "rejects null" },
    ]);
  });

  test("read-only fields, which are ignored, nothing", () => {
    const ours = z.object({ id: z.int() });
    expect(rejectedInputs(ours, { fields: { id: { type: "string", readOnly: true } } }, {})).toEqual([]);
  });
});
