// Skips steps whose inputs have not changed since they last succeeded.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { inRoot, ROOT } from "./paths.mjs";

/** Lists the files at a place, in the same order on every machine. */
function listFiles(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [place] : [];
  const files = [];
  for (const entry of fs.readdirSync(place, { withFileTypes: true, recursive: true }))
    if (!entry.isDirectory()) files.push(`${entry.parentPath}${path.sep}${entry.name}`);
  return files.sort();
}

/** Hashes the names and contents of files and folders of the project. */
const hashOf = (places) => hashEach(places, (file) => fs.readFileSync(file));

/** Hashes the names, sizes and change times of files, five times as fast. Programs can set mtime, but not ctime. */
const stateOf = (places) =>
  hashEach(places, (file) => {
    const { size, ctimeMs, ino } = fs.statSync(file);
    return `${size} ${ctimeMs} ${ino}`;
  });

function hashEach(places, read) {
  const hash = createHash("sha256").update(process.version);
  for (const place of places) {
    for (const file of listFiles(inRoot(place))) {
      hash
        .update(`${file.slice(ROOT.length)}\0`)
        .update(read(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

function readStamp({ stamp, results = [] }) {
  const file = inRoot(stamp);
  if (!fs.existsSync(file) || !results.every((result) => fs.existsSync(inRoot(result)))) return {};
  const [hash, state] = fs.readFileSync(file, "utf8").split(" ");
  return { hash, state };
}

/**
 * Returns whether the stamp shows that a job was done for the same inputs, and its results exist.
 * @param {{ stamp: string, inputs: string[], results?: string[] }} job
 */
export function isDone(job) {
  const { hash, state } = readStamp(job);
  return hash !== undefined && (state === stateOf(job.inputs) || hash === hashOf(job.inputs));
}

/**
 * Runs `work` unless the stamp shows that it is done. Only one process runs it, and the others wait. Returns whether it ran.
 * @param {{ stamp: string, inputs: string[], results?: string[], work: () => Promise<unknown> }} job
 */
export async function onceFor(job) {
  if (readStamp(job).state === stateOf(job.inputs)) return false;
  return withLock(inRoot(`${job.stamp}.lock`), () => doAndStamp(job));
}

async function doAndStamp(job) {
  const described = describe(job.inputs);
  const isNeeded = readStamp(job).hash !== described.hash;
  if (isNeeded) {
    fs.rmSync(inRoot(job.stamp), { force: true });
    await job.work();
  }
  writeStamp(job.stamp, described);
  return isNeeded;
}

/** Records that a job is done, for jobs that change their own inputs. */
export function markDone({ stamp, inputs }) {
  writeStamp(stamp, describe(inputs));
}

/** Reads the state first: if a file changes in between, the next check compares its content. */
const describe = (inputs) => ({ state: stateOf(inputs), hash: hashOf(inputs) });

const writeStamp = (stamp, { hash, state }) => fs.writeFileSync(inRoot(stamp), `${hash} ${state}`);
