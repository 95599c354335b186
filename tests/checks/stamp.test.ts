// Steps of a build run again only if their inputs have changed.
import fs from "node:fs";
import { afterAll, beforeEach, expect, test } from "vitest";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { isDone, markDone, onceFor } from "@/scripts/lib/stamp.mjs";

const folder = `test-results/stamp-${process.pid}`;
const input = inRoot(folder, "sources", "input.txt");
const result = inRoot(folder, "result.txt");
let runs = 0;
const job = {
  stamp: `${folder}/job.stamp`,
  inputs: [`${folder}/sources`, `${folder}/missing`],
  results: [`${folder}/result.txt`],
  work: async () => {
    runs++;
    fs.writeFileSync(result, "done");
  },
};

beforeEach(async () => {
  fs.rmSync(inRoot(folder), { recursive: true, force: true });
  fs.mkdirSync(inRoot(folder, "sources"), { recursive: true });
  fs.writeFileSync(input, "one");
  runs = 0;
  expect(await onceFor(job)).toBe(true);
});
afterAll(() => fs.rmSync(inRoot(folder), { recursive: true, force: true }));

test("a step does not run again if its inputs have the same content, even if they were rewritten", async () => {
  expect(isDone(job)).toBe(true);
  expect(await onceFor(job)).toBe(false);
  fs.rmSync(input);
  fs.writeFileSync(input, "one");
  expect(isDone(job)).toBe(true);
  expect(await onceFor(job)).toBe(false);
  expect(runs).toBe(1);
});

test("a step runs again after a change of the same size and mtime, a new file or the loss of its result", async () => {
  const { atime, mtime } = fs.statSync(input);
  fs.writeFileSync(input, "two");
  fs.utimesSync(input, atime, mtime);
  expect(isDone(job)).toBe(false);
  expect(await onceFor(job)).toBe(true);
  fs.writeFileSync(inRoot(folder, "sources", "another.txt"), "");
  expect(await onceFor(job)).toBe(true);
  fs.rmSync(result);
  expect(isDone(job)).toBe(false);
  expect(await onceFor(job)).toBe(true);
  expect(runs).toBe(4);
});

test("a step that failed runs again, and only once if several callers need it", async () => {
  fs.writeFileSync(input, "changed");
  const failing = () => Promise.reject(new Error("no space left"));
  await expect(onceFor({ ...job, work: failing })).rejects.toThrow("no space left");
  expect(isDone(job)).toBe(false);
  const ran = await Promise.all([onceFor(job), onceFor(job), onceFor(job)]);
  expect(ran.filter(Boolean)).toHaveLength(1);
});

test("a step can be marked as done without running it", async () => {
  fs.writeFileSync(input, "changed");
  markDone(job);
  expect(await onceFor(job)).toBe(false);
  expect(runs).toBe(1);
});
