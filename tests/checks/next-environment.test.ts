// Next's environment slows down the clock and the timers of the whole process. The server loads it without that.
import timers from "node:timers";
import { expect, test } from "vitest";

const readFunctions = () => ({
  Date,
  ofDates: Date.prototype.constructor,
  now: Date.now,
  setImmediate,
  clearImmediate,
  nextTick: process.nextTick,
  timers: [timers.setImmediate, timers.clearImmediate],
});

test("the server's clock and timers stay those of Node.js", async () => {
  const before = readFunctions();
  await import("@/scripts/lib/next-environment");
  const after = readFunctions();
  for (const name of Object.keys(before) as (keyof typeof before)[])
    expect(after[name], name).toStrictEqual(before[name]);
  expect(globalThis, "Next's environment is loaded").toHaveProperty("AsyncLocalStorage");
});
