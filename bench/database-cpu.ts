import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { hasProc, listChildren, readStat, TICK_MS } from "./cpu";

/**
 * Finds the main process of PostgreSQL, which is the parent of the process of each connection. Returns null if its CPU time can't be
 * read: without /proc, or if PostgreSQL runs on another machine or in another container.
 */
export function findPostmaster(url: string): Promise<number | null> {
  return asAdmin(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return rows[0] && hasProc ? parentOf(rows[0].pid) : null;
  });
}

function parentOf(pid: number): number | null {
  try {
    const { name, parent } = readStat(pid);
    return name.startsWith("postgres") ? parent : null;
  } catch {
    return null;
  }
}

/** Reads the CPU milliseconds of all processes of PostgreSQL, including its background processes and those that have ended. */
export function readDatabaseCpu(postmaster: number): number {
  const own = readStat(postmaster);
  const running = listChildren(postmaster).reduce((sum, pid) => sum + ticksOf(pid), 0);
  return (own.utime + own.stime + own.childrenUtime + own.childrenStime + running) * TICK_MS;
}

/** Returns 0 for a process that has just ended: the main process counts its time. */
function ticksOf(pid: number): number {
  try {
    const { utime, stime } = readStat(pid);
    return utime + stime;
  } catch {
    return 0;
  }
}
