import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** The CPU time and memory that a process has used so far. */
export interface Usage {
  /** User and system time of all its threads. */
  cpuMs: number;
  rssMiB: number;
}

export const hasProc = fs.existsSync("/proc/self/stat");
export const TICK_MS = hasProc ? 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" })) : 0;

/** Reads the usage of a process from /proc, exact to a clock tick (10 ms), or from `ps` if /proc does not exist. */
export function readUsage(pid: number): Usage {
  return hasProc ? readProc(pid) : readPs(pid);
}

function readProc(pid: number): Usage {
  const { utime, stime } = readStat(pid);
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { cpuMs: (utime + stime) * TICK_MS, rssMiB: Number(rss) / 1024 };
}

/** Reads a process's name, its parent, and its CPU time and that of its ended children in clock ticks. */
export function readStat(pid: number) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the program's name, may contain spaces, so fields are counted from its closing parenthesis.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const number = (at: number) => Number(fields[at]);
  const times = { utime: number(11), stime: number(12), childrenUtime: number(13), childrenStime: number(14) };
  return { name: stat.slice(stat.indexOf("(") + 1, end), parent: number(1), ...times };
}

function readPs(pid: number): Usage {
  const output = execFileSync("ps", ["-o", "time=,rss=", "-p", String(pid)], { encoding: "utf8" });
  const [time = "0", rss = "0"] = output.trim().split(/\s+/);
  const seconds = time.split(/[:-]/).reduce((total, part) => total * 60 + Number(part), 0);
  return { cpuMs: seconds * 1000, rssMiB: Number(rss) / 1024 };
}

const SAMPLE_MS = 100;

/** Samples the memory of a process in MiB until it is stopped. Child processes are included if /proc exists. */
export function watchMemory(pid: number) {
  const before = readUsage(pid).rssMiB;
  const peaks = { peak: before, peakWithChildren: before };
  const sample = () => {
    const own = readUsage(pid).rssMiB;
    const total = own + listChildren(pid).reduce((sum, child) => sum + readRss(child), 0);
    peaks.peak = Math.max(peaks.peak, own);
    peaks.peakWithChildren = Math.max(peaks.peakWithChildren, total);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return { before, ...peaks, after: readUsage(pid).rssMiB };
    },
  };
}

/** Lists the child processes that the threads of a process started. */
export function listChildren(pid: number): number[] {
  if (!hasProc) return [];
  return fs.readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const children = fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim();
    return children === "" ? [] : children.split(" ").map(Number);
  });
}

/** Reads the memory of a process, or 0 if it has ended. */
function readRss(pid: number): number {
  try {
    return readUsage(pid).rssMiB || 0;
  } catch {
    return 0;
  }
}
