// Skips steps whose inputs have not changed since they last succeeded.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";

function* filesBelow(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isFile()) yield place;
  else for (const name of fs.readdirSync(place).sort()) yield* filesBelow(path.join(place, name));
}

/**
 * Hashes the names and contents of files and folders of the project.
 * @param {string[]} places paths relative to the project
 */
export function hashOf(places) {
  const hash = createHash("sha256").update(process.version);
  for (const place of places) {
    for (const file of filesBelow(inRoot(place))) {
      hash
        .update(`${path.relative(inRoot(), file)}\0`)
        .update(fs.readFileSync(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

/**
 * Returns whether the stamp shows that a job was done for the same inputs, and its results exist.
 * @param {{ stamp: string, inputs: string[], results?: string[] }} job
 */
export function isDone({ stamp, inputs, results = [] }, wanted = hashOf(inputs)) {
  const file = inRoot(stamp);
  const known = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  return known === wanted && results.every((result) => fs.existsSync(inRoot(result)));
}

/**
 * Runs `work`, unless it is done. Returns whether it ran.
 * @param {{ stamp: string, inputs: string[], results?: string[], work: () => Promise<unknown> }} job
 */
export async function onceFor({ stamp, inputs, results = [], work }) {
  const file = inRoot(stamp);
  const wanted = hashOf(inputs);
  if (isDone({ stamp, inputs, results }, wanted)) return false;
  fs.rmSync(file, { force: true });
  await work();
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, wanted);
  return true;
}
