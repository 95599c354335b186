// Locks and registers between processes of one machine, as files. A process killed with -9 leaves its file behind, so each file names
// its owner by PID and start time. A file whose owner has ended, or whose PID was reused, is ignored.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function startTimeOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "-";
  }
}

const identity = (pid) => `${pid} ${startTimeOf(pid)}`;

/** Returns whether a process with this PID runs. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function isOwnerAlive(file) {
  let owner;
  try {
    owner = fs.readFileSync(file, "utf8").trim();
  } catch {
    return false;
  }
  const pid = Number(owner.split(" ")[0]);
  return pid > 0 && isAlive(pid) && identity(pid) === owner;
}

/**
 * Runs `work` while no other process of this machine holds the lock `file`.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}-${randomUUID().slice(0, 8)}`;
  fs.writeFileSync(mine, identity(process.pid));
  try {
    while (!take(file, mine)) {
      if (!isOwnerAlive(file)) removeAbandoned(file);
      else await pause(50);
    }
  } finally {
    fs.rmSync(mine, { force: true });
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** Creates a file with its content in one step, and fails if it exists. Only a hard link does both. */
function take(file, mine) {
  try {
    fs.linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a process that has ended. It is moved away and checked again, because another process may have taken it since. */
function removeAbandoned(file) {
  const aside = `${file}.abandoned.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch {
    return;
  }
  if (isOwnerAlive(aside)) take(file, aside);
  fs.rmSync(aside, { force: true });
}

/** Registers this process in `folder` as a user of its resource. */
export function registerUser(folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, String(process.pid)), identity(process.pid));
}

/** Removes this process from the register. Returns whether other running processes are left. */
export function unregisterUser(folder) {
  fs.rmSync(path.join(folder, String(process.pid)), { force: true });
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  for (const file of files) if (!isOwnerAlive(file)) fs.rmSync(file, { force: true });
  return files.some((file) => fs.existsSync(file));
}
