// Pages start one at a time, and after the calls under way.
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PageTurns } from "@/lib/platform/http/page-turns";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

let turns: PageTurns;
let started: number;
beforeEach(() => {
  turns = new PageTurns();
  started = 0;
});

function askForPages(count: number): void {
  for (let at = 0; at < count; at++) void turns.page().then(() => started++);
}

/** Begins a call; gives what ends it. */
function beginCall(): () => Promise<void> {
  let end = () => {};
  const call = turns.call(() => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return call;
  };
}

const someTurns = async () => {
  for (let at = 0; at < 100; at++) await setImmediate();
};

test("pages wait for a call under way, and start once it has ended", async () => {
  const end = beginCall();
  askForPages(30);
  await someTurns();
  expect(started).toBe(0);
  await end();
  await someTurns();
  expect(started).toBe(30);
});

test("a call that takes long holds up one page for 2 ms, and each of many for 50 ms", async () => {
  beginCall();
  askForPages(1);
  await someTurns();
  expect(started).toBe(0);
  vi.advanceTimersByTime(2);
  await someTurns();
  expect(started).toBe(1);

  askForPages(40);
  await someTurns();
  for (let page = 1; page <= 15; page++) {
    vi.advanceTimersByTime(49);
    await someTurns();
    expect(started).toBe(page);
    vi.advanceTimersByTime(1);
    await someTurns();
    expect(started).toBe(page + 1);
  }
});

test("a call that fails holds up nothing", async () => {
  await expect(turns.call(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  askForPages(1);
  await someTurns();
  expect(started).toBe(1);
});
