// Callers that wait at the same time share one run of some work.
import { expect, test } from "vitest";
import { shareNext } from "@/lib/platform/within";

/** Returns shared work whose runs end when the test says so, with their number as the result. */
function shared() {
  const runs: { end: () => void; fail: () => void }[] = [];
  const call = shareNext(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = runs.length + 1;
        runs.push({ end: () => resolve(number), fail: () => reject(new Error(`run ${number} failed`)) });
      }),
  );
  return { call, runs };
}

const turn = () => new Promise(setImmediate);

test("a call during a run gets the result of the next run, which all of them share", async () => {
  const { call, runs } = shared();
  const first = call();
  await turn();
  const others = [call(), call()];
  await turn();
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  expect(await first).toBe(1);
  await turn();
  others.push(call());
  expect(runs).toHaveLength(2);
  runs[1]?.end();
  await turn();
  runs[2]?.end();
  expect(await Promise.all(others)).toEqual([2, 2, 3]);
});

test("a run that fails affects only those who wait for it", async () => {
  const { call, runs } = shared();
  const first = call();
  await turn();
  const second = call();
  runs[0]?.fail();
  await expect(first).rejects.toThrow("run 1 failed");
  await turn();
  runs[1]?.end();
  expect(await second).toBe(2);
});
