import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** What a process has used so far. */
export interface Usage {
  /** User and system time of all its threads. */
  cpuMs: number;
  rssMiB: number;
}

const hasProc = fs.existsSync("/proc/self/stat");
const TICK_MS = hasProc ? 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })) : 0;

/** Reads /proc if there is one (exact to a clock tick, 10 ms), otherwise runs ps. */
export function usageOf(pid: number): Usage {
  return hasProc ? usageFromProc(pid) : usageFromPs(pid);
}

function usageFromProc(pid: number): Usage {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the program's name, may contain spaces, so fields are counted after its bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, rssMiB: Number(rss) / 1024 };
}

function usageFromPs(pid: number): Usage {
  const output = execFileSync("ps", ["-o", "time=,rss=", "-p", String(pid)], { encoding: "utf8" });
  const [time = "0", rss = "0"] = output.trim().split(/\s+/);
  const seconds = time.split(/[:-]/).reduce((total, part) => total * 60 + Number(part), 0);
  return { cpuMs: seconds * 1000, rssMiB: Number(rss) / 1024 };
}

const SAMPLE_MS = 100;

/** Watches the memory of a process in MiB until it is stopped. Child processes are included if there is /proc. */
export function watchMemory(pid: number) {
  const before = usageOf(pid).rssMiB;
  const peaks = { peak: before, peakWithChildren: before };
  const look = () => {
    const parent = usageOf(pid).rssMiB;
    const whole = parent + childrenOf(pid).reduce((sum, child) => sum + rssOrNone(child), 0);
    peaks.peak = Math.max(peaks.peak, parent);
    peaks.peakWithChildren = Math.max(peaks.peakWithChildren, whole);
  };
  look();
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { before, ...peaks, after: usageOf(pid).rssMiB };
    },
  };
}

/** Returns the child processes of all threads of a process. */
function childrenOf(pid: number): number[] {
  if (!hasProc) return [];
  return fs.readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const children = fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim();
    return children === "" ? [] : children.split(" ").map(Number);
  });
}

function rssOrNone(pid: number): number {
  try {
    return usageOf(pid).rssMiB || 0;
  } catch {
    return 0;
  }
}
