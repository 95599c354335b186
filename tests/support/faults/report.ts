// The results of rounds: kept in a file, so that several runs add up, and summarized in a table.
import fs from "node:fs";
import { groupBy } from "@/lib/platform/objects";
import type { LoadResult } from "../cluster-load";
import type { FaultName } from "./names.mjs";

/** A round of a fault. */
export interface FaultRound extends LoadResult {
  fault: FaultName;
  seed: number;
  date: string;
  /** The time from the fault until each client has done two more rounds of writes. Null if they didn't. */
  healedMs: number | null;
  /** The time of the whole round, with its checks. */
  roundMs: number;
  /** What was wrong, or null. */
  problem: string | null;
}

/** Appends a round to a file, a line of JSON for each. */
export function appendRound(file: string, round: FaultRound): void {
  fs.appendFileSync(file, `${JSON.stringify(round)}\n`);
}

/** Reads the rounds of a file, or none if it doesn't exist. */
export function readRounds(file: string): FaultRound[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** Returns a line for each fault. `repeated` is how many attempts were rejected or lost their connection. */
export function summarize(rounds: readonly FaultRound[]) {
  return [...groupBy(rounds, ({ fault }) => fault)].map(([fault, own]) => {
    const sum = (of: (row: FaultRound) => number) => own.reduce((total, row) => total + of(row), 0);
    const healed = own.flatMap(({ healedMs }) => (healedMs ? [healedMs / 1_000] : [])).sort((a, b) => a - b);
    return {
      fault,
      rounds: own.length,
      failed: own.filter(({ problem }) => problem).length,
      writes: sum(({ writes }) => writes),
      lost: sum(({ lost }) => lost),
      doubled: sum(({ doubled }) => doubled),
      repeated: sum(({ failures }) => failures),
      "healed, median s": healed[Math.floor(healed.length / 2)]?.toFixed(1),
      "longest s": healed.at(-1)?.toFixed(1),
      "round s": (sum(({ roundMs }) => roundMs) / own.length / 1_000).toFixed(1),
    };
  });
}
