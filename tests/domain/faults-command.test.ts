// npm run faults: its options, and how the rounds of several runs add up.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { findFaults } from "../support/faults/names.mjs";
import {
  appendRound,
  type FaultRound,
  findMissing,
  readRevision,
  readRounds,
  summarize,
} from "../support/faults/report";
import { runProgram } from "../support/machine";

describe("wrong options exit with 2 and list the faults:", () => {
  test.concurrent.each([
    ["--faults", "disk,nothing"],
    ["--rounds", "0"],
    ["--seed", "x"],
    ["--first", "0"],
    ["--unknown", "1"],
  ])("%s %s", async (...args) => {
    const { code, stderr } = await runProgram(process.execPath, [inRoot("scripts/faults.mjs"), ...args]);
    expect(code).toBe(2);
    for (const name of findFaults("")) expect(stderr).toContain(name);
  });
});

test("faults are found by any of several texts", () => {
  expect(findFaults("HAProxy, Redis")).toEqual(["HAProxy is killed", "Redis hangs for 5 s"]);
});

test("a full name selects only that fault", () => {
  expect(findFaults("a lock, the primary database is killed")).toEqual([
    "the primary database is killed",
    "a lock blocks all connections of the pools",
  ]);
  expect(findFaults("primary database is killed")).toHaveLength(2);
});

test("a run that goes on repeats only what failed and what used another seed", () => {
  const done = { fault: "HAProxy is killed", seed: 1, round: 1, problem: null } as FaultRound;
  const rounds = [done, { ...done, round: 2, problem: "not healed" }, { ...done, round: 3, seed: 2 }];
  const plan = [1, 2, 3, 4].map((round) => ({ fault: done.fault, round }));
  expect(findMissing(plan, 1, rounds).map(({ round }) => round)).toEqual([2, 3, 4]);
  expect(findMissing(plan, 1, [...rounds, { ...done, round: 2 }]).map(({ round }) => round)).toEqual([3, 4]);
});

test("rounds that were measured before are read, and not repeated", () => {
  const rounds = readRounds(inRoot("bench/fault-rounds.ndjson"));
  const names = new Set<string>(findFaults(""));
  expect(rounds.filter(({ fault }) => !names.has(fault))).toEqual([]);
  const [old] = rounds.filter(({ revision }) => revision === undefined);
  expect(old).toMatchObject({ fault: "a server is killed", seed: 1301, round: 1, problem: null });
  const plan = rounds.filter(({ seed }) => seed === 1301).map(({ fault, round }) => ({ fault, round }));
  expect(findMissing(plan, 1301, rounds)).toEqual([]);
  expect(findMissing(plan.slice(0, 3), 1302, rounds)).toHaveLength(3);
});

test("a round names the commit that ran, if there is one", () => {
  const revision = readRevision();
  expect(revision).toMatch(fs.existsSync(inRoot(".git")) ? /^[0-9a-f]{7,40}$/ : /^$/);
  expect(readRevision(os.tmpdir())).toBe("");
});

test("the table shows all rounds of the file", () => {
  const file = path.join(process.env.CROSSWALK_DATA_DIR as string, "rounds.json");
  expect(readRounds(file)).toEqual([]);
  const round: FaultRound = {
    ...{ fault: "a server is killed", seed: 1, round: 1, date: "2026-11-27T04:00:00Z", problem: null },
    ...{ revision: "0a1b2c3", faultMs: 200, healedMs: 1_000, withoutServiceMs: 2_500, roundMs: 10_000 },
    ...{ writes: 100, lost: 0, doubled: 0, failures: 2 },
  };
  appendRound(file, round);
  appendRound(file, { ...round, healedMs: null, withoutServiceMs: 3_000, problem: "1 lost, 0 doubled", lost: 1 });
  const sums = {
    ...{ fault: "a server is killed", rounds: 2, failed: 1, writes: 200, lost: 1, doubled: 0, repeated: 4 },
    ...{ "without service, longest s": "3.0", "healed, median s": "1.0", "healed, longest s": "1.0" },
  };
  expect(readRounds(file)[0]).toEqual(round);
  expect(summarize(readRounds(file))).toEqual([sums]);
  // What a failed round could not count is not shown as 0.
  appendRound(file, { ...round, problem: "not healed", lost: null, doubled: null });
  const unknown = { rounds: 3, failed: 2, writes: 300, lost: "1 + ?", doubled: "0 + ?", repeated: 6 };
  expect(summarize(readRounds(file))).toEqual([{ ...sums, ...unknown }]);
});
