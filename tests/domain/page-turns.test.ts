// Pages start one at a time, and after the calls in progress.
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

/** Starts a call; returns a function that ends it. */
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

test("pages wait for a call in progress, and start after it", async () => {
  const end = beginCall();
  askForPages(30);
  await someTurns();
  expect(started).toBe(0);
  await end();
  await someTurns();
  expect(started).toBe(30);
});

test("a long call delays a single page by 2 ms, and each of many by 50 ms", async () => {
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

test("a failing call delays nothing", async () => {
  await expect(turns.call(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  askForPages(1);
  await someTurns();
  expect(started).toBe(1);
});
