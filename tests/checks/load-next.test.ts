// Next replaces the clock and the timers of the whole process, which slows down the API. The server loads Next without that.
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { expect, test } from "vitest";
import { loadNext } from "@/scripts/lib/load-next";
import { inRoot } from "@/scripts/lib/paths.mjs";

const readFunctions = (): [string, unknown][] => [
  ["Date", Date],
  ["Date.prototype.constructor", Date.prototype.constructor],
  ["Date.now", Date.now],
  ["setImmediate", setImmediate],
  ["clearImmediate", clearImmediate],
  ["timers.setImmediate", timers.setImmediate],
  ["timers.clearImmediate", timers.clearImmediate],
  ["timersPromises.setImmediate", timersPromises.setImmediate],
  ["process.nextTick", process.nextTick],
];

test("loading Next leaves the clock and the timers of Node.js as they are", async () => {
  expect(globalThis).not.toHaveProperty("AsyncLocalStorage");
  const before = new Map(readFunctions());
  const next = await loadNext(inRoot());
  for (const [name, after] of readFunctions()) expect(after, name).toBe(before.get(name));
  expect(globalThis, "Next's environment is loaded").toHaveProperty("AsyncLocalStorage");
  expect(next).toBeTypeOf("function");
});
