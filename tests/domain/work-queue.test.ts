import { describe, expect, test, vi } from "vitest";
import { emptyQueue, QueueFullError, WorkQueue } from "@/lib/platform/jobs/work-queue";

/** Creates work that ends when the test calls `finish`. */
function work(log: string[], name: string) {
  let finish = () => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return {
    finish: () => finish(),
    run: async () => {
      log.push(name);
      await ended;
      return name;
    },
  };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe("a queue of expensive work", () => {
  test("never runs more than its limit, and runs everything", async () => {
    const queue = new WorkQueue({ concurrency: 2, waiting: 100, waitMs: 60_000, retryAfterSeconds: 1 });
    let running = 0;
    let most = 0;
    const one = async (index: number) => {
      most = Math.max(most, ++running);
      await turns();
      running--;
      if (index % 3 === 0) throw new Error("failed");
      return index;
    };
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => queue.run(() => one(index))));
    expect([most, queue.mostRunning]).toEqual([2, 2]);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(17);
  });

  test("serves urgent work first, in order of arrival", async () => {
    const queue = new WorkQueue({ concurrency: 1, waiting: 10, waitMs: 60_000, retryAfterSeconds: 1 });
    const log: string[] = [];
    const names = ["running", "ordinary 1", "ordinary 2", "urgent 1", "urgent 2"];
    const all = names.map((name) => ({ name, ...work(log, name) }));
    const runs = all.map(({ name, run }) => queue.run(run, { urgent: name.startsWith("urgent") }));
    for (const { finish } of all) finish();
    await Promise.all(runs);
    expect(log).toEqual(["running", "urgent 1", "urgent 2", "ordinary 1", "ordinary 2"]);
  });

  test("rejects work beyond its capacity, but still takes urgent work", async () => {
    const queue = new WorkQueue({ concurrency: 1, waiting: 1, waitMs: 60_000, retryAfterSeconds: 7 });
    const log: string[] = [];
    const [first, second, urgent] = [work(log, "first"), work(log, "second"), work(log, "urgent")];
    const runs = [queue.run(first.run), queue.run(second.run)];
    const rejected = await queue.run(work(log, "never").run).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(QueueFullError);
    expect((rejected as QueueFullError).retryAfterSeconds).toBe(7);
    runs.push(queue.run(urgent.run, { urgent: true }));
    for (const { finish } of [first, second, urgent]) finish();
    expect(await Promise.all(runs)).toEqual(["first", "second", "urgent"]);
  });

  test("rejects what waits too long, and continues with the rest", async () => {
    const queue = new WorkQueue({ concurrency: 1, waiting: 5, waitMs: 30, retryAfterSeconds: 1 });
    const log: string[] = [];
    const [first, second] = [work(log, "first"), work(log, "second")];
    const runs = [first, second].map(({ run }) => queue.run(run).catch((error: unknown) => error));
    expect(await runs[1]).toBeInstanceOf(QueueFullError);
    const third = work(log, "third");
    const last = queue.run(third.run);
    for (const { finish } of [first, third]) finish();
    expect([await runs[0], await last, log]).toEqual(["first", "third", ["first", "third"]]);
  });

  test("is one queue for all copies of the module, and rejects with the error class of the caller's copy", async () => {
    vi.resetModules();
    const copy = await import("@/lib/platform/jobs/work-queue");
    const limits = { concurrency: 1, waiting: 1, waitMs: 60_000, retryAfterSeconds: 1 };
    const state = emptyQueue();
    const [one, other] = [new WorkQueue(limits, state), new copy.WorkQueue(limits, state)];
    const log: string[] = [];
    const [first, second] = [work(log, "first"), work(log, "second")];
    const runs = [one.run(first.run), other.run(second.run)];
    expect(await one.run(first.run).catch((error: unknown) => error)).toBeInstanceOf(QueueFullError);
    expect(await other.run(first.run).catch((error: unknown) => error)).toBeInstanceOf(copy.QueueFullError);
    expect(copy.QueueFullError).not.toBe(QueueFullError);
    for (const { finish } of [first, second]) finish();
    await Promise.all(runs);
    expect([log, state.mostRunning]).toEqual([["first", "second"], 1]);
  });
});
