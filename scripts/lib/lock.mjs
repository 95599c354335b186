// Locks and registers between processes of one machine, kept as files. A process killed with -9 leaves its file behind:
// each names its owner by pid and start time, so that a dead owner's file, or one whose pid was given out again, counts for nothing.
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

/** Whether a process with this pid lives. */
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

/** A hard link is the one way to make a file that has its content from its first moment, and to fail where it exists. */
function take(file, mine) {
  try {
    fs.linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Moved away first and looked at again: between the look and the move a living process may have taken the lock. */
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

/** Notes in `folder` that this process uses what the folder stands for. */
export function registerUser(folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, String(process.pid)), identity(process.pid));
}

/** Takes this process out of the register and tells whether other living ones are left. */
export function unregisterUser(folder) {
  fs.rmSync(path.join(folder, String(process.pid)), { force: true });
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  for (const file of files) if (!isOwnerAlive(file)) fs.rmSync(file, { force: true });
  return files.some((file) => fs.existsSync(file));
}
