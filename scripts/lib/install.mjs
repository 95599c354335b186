import fs from "node:fs";
import { toolEnvironment } from "./environment.mjs";
import { runQuietly } from "./lifetime.mjs";
import { withLock } from "./lock.mjs";
import { inRoot, isRelease, ROOT } from "./paths.mjs";
import { step } from "./progress.mjs";
import { isDone, markDone } from "./stamp.mjs";

const JOB = {
  stamp: "build/install.stamp",
  inputs: ["package-lock.json", "node_modules/.package-lock.json"],
  results: ["node_modules"],
};

/** Runs `npm ci` if node_modules is missing or does not match package-lock.json. A release needs nothing. */
export async function install() {
  if (isRelease() || isDone(JOB) || isInstalled()) return;
  await withLock(inRoot("build/install.lock"), async () => {
    if (isInstalled()) return;
    await step("Installing packages (about a minute)", npmCi);
    markDone(JOB);
  });
}

/** Checks the hidden lock file of node_modules, which npm writes as its last step. */
function isInstalled() {
  const wanted = readPackages("package-lock.json");
  const present = readPackages("node_modules/.package-lock.json");
  if (!present) return false;
  return Object.entries(wanted).every(([place, { version, optional, devOptional }]) => {
    const found = present[place];
    return place === "" || (found ? found.version === version : Boolean(optional || devOptional));
  });
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(inRoot(file), "utf8")).packages;
  } catch {
    return null;
  }
}

async function npmCi() {
  // Under `npm start`, use the npm that runs. Otherwise, find it on the path.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const args = [...first, "ci", "--include=dev", "--no-audit", "--no-fund"];
  // Packages run their own scripts, which must not see the installation's secrets.
  const env = toolEnvironment();
  await runQuietly("npm ci", command, args, { cwd: ROOT, env, shell: process.platform === "win32" });
}
