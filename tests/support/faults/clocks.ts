import fs from "node:fs";
import path from "node:path";
import { keysOf } from "@/lib/platform/objects";
import { findFaketime } from "./faketime.mjs";

/** The programs whose clocks can be wrong, and those of the same kind that have the right time. */
export const OTHERS = { "web-1": "web-2", "worker-1": "worker-2" } as const;
export type ClockName = keyof typeof OTHERS;
const NAMES = keysOf(OTHERS);

export interface Clocks {
  environmentOf: (name: string) => Record<string, string>;
  /** Sets the clock of a program: `+1h`, `-1h`, or `+0` for the right time. It follows within a second. */
  set: (name: ClockName, offset: string) => void;
}

/** Returns clocks of programs that have the right time until it is set. Needs libfaketime. */
export function createClocks(folder: string): Clocks {
  const fileOf = (name: string) => path.join(folder, `${name}.clock`);
  const set = (name: string, offset: string) => fs.writeFileSync(fileOf(name), `${offset}\n`);
  for (const name of NAMES) set(name, "+0");
  const environmentOf = (name: string): Record<string, string> => {
    if (!NAMES.some((one) => one === name)) return {};
    return {
      LD_PRELOAD: findFaketime() ?? "",
      FAKETIME_TIMESTAMP_FILE: fileOf(name),
      FAKETIME_CACHE_DURATION: "1",
      // Timers and durations keep running evenly, as they do when a clock is set.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  };
  return { set, environmentOf };
}

/** Returns why clocks can't be changed here, or null. */
export const whyNoClocks = () => (findFaketime() ? null : "libfaketime is not available");
