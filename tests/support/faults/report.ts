// The results of rounds: kept in a file, so that several runs add up, and summarized in a table.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { groupBy } from "@/lib/platform/objects";
import { ROOT } from "@/scripts/lib/paths.mjs";
import type { FaultName } from "./names.mjs";

/** A round of a fault. What is null was not measured, because the round failed before. */
export interface FaultRound {
  fault: FaultName;
  seed: number;
  round: number;
  date: string;
  /** The commit whose code ran, or empty outside of a checkout. Older lines don't have it. */
  revision?: string;
  /** The time from the fault until it was repaired. */
  faultMs: number | null;
  /** The time from the repair until each client has done two more rounds of writes, all that waited is done, and the database is redundant. */
  healedMs: number | null;
  /** The longest time between two acknowledged writes of any client. */
  withoutServiceMs: number | null;
  /** The time of the whole round, with its checks. */
  roundMs: number;
  writes: number;
  /** Acknowledged writes without a version in one of the stores. */
  lost: number | null;
  /** Writes that were made by more than one attempt, and rejected writes that were made. */
  doubled: number | null;
  /** Attempts that were rejected or lost their connection. */
  failures: number;
  /** Reads that a standby served. Older lines don't have it. */
  standbyReads?: number | null;
  /** What was wrong, or null. */
  problem: string | null;
}

/** Returns the short ID of the commit that is checked out, or an empty text outside of a checkout. */
export function readRevision(folder: string = ROOT): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "";
}

/** Appends a round to a file, a line of JSON for each. Times are in whole milliseconds. */
export function appendRound(file: string, round: FaultRound): void {
  const line = JSON.stringify(round, (_name, value) => (typeof value === "number" ? Math.round(value) : value));
  fs.appendFileSync(file, `${line}\n`);
}

/** Reads the rounds of a file, or none if it doesn't exist. */
export function readRounds(file: string): FaultRound[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** Returns the rounds that a file does not have yet: none with this seed, or only failed ones. */
export function findMissing<Round extends Pick<FaultRound, "fault" | "round">>(
  plan: readonly Round[],
  seed: number,
  rounds: readonly FaultRound[],
): Round[] {
  const nameOf = ({ fault, round }: Pick<FaultRound, "fault" | "round">) => `${fault} ${round}`;
  const present = new Set(rounds.filter((round) => round.seed === seed && !round.problem).map(nameOf));
  return plan.filter((round) => !present.has(nameOf(round)));
}

/** Returns a line for each fault. `repeated` is how many attempts were rejected or lost their connection. */
export function summarize(rounds: readonly FaultRound[]) {
  return [...groupBy(rounds, ({ fault }) => fault)].map(([fault, own]) => {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const known = (of: (row: FaultRound) => number | null) => own.flatMap((row) => of(row) ?? []);
    /** What was not counted may be anything. */
    const count = (of: (row: FaultRound) => number | null) => {
      const counted = known(of);
      return counted.length === own.length ? sum(counted) : `${sum(counted)} + ?`;
    };
    const ascending = (of: (row: FaultRound) => number | null) => known(of).sort((one, other) => one - other);
    const seconds = (ms: number | undefined) => (ms === undefined ? "?" : (ms / 1_000).toFixed(1));
    const healed = ascending(({ healedMs }) => healedMs);
    return {
      fault,
      rounds: own.length,
      failed: own.filter(({ problem }) => problem).length,
      writes: sum(own.map(({ writes }) => writes)),
      lost: count(({ lost }) => lost),
      doubled: count(({ doubled }) => doubled),
      repeated: sum(own.map(({ failures }) => failures)),
      "without service, longest s": seconds(ascending(({ withoutServiceMs }) => withoutServiceMs).at(-1)),
      "healed, median s": seconds(healed[Math.floor(healed.length / 2)]),
      "healed, longest s": seconds(healed.at(-1)),
    };
  });
}
