// A server or worker that outlives its test file must not reach the data of the next file in the same process.
import { expect, inject, test } from "vitest";
import { cloneDatabase } from "../support/databases";

test("test databases of one process have different names", async () => {
  const settings = { server: inject("server"), template: inject("template"), run: inject("run") };
  const first = await cloneDatabase(settings);
  await first.drop();
  const second = await cloneDatabase(settings);
  await second.drop();
  expect(second.url).not.toBe(first.url);
  expect(process.env.DATABASE_URL, "the database of this file").not.toMatch(new RegExp(`_${process.pid}$`));
});
