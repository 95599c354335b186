// Finds what the tests of the guides run besides Node: curl, and Python with the cryptography package. Missing tools are
// unpacked from Debian's packages, if available, into a folder of the project; nothing is installed on the system.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { libraryFolders, MissingTool, prepareTool, unpackPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-guide-tools");
const UNPACKED = path.join(HOME, "root");

/** The environment in which the unpacked programs find their libraries. */
const unpackedEnvironment = () => ({
  PYTHONPATH: path.join(UNPACKED, "usr/lib/python3/dist-packages"),
  LD_LIBRARY_PATH: libraryFolders(UNPACKED).join(":"),
});

const works = (command, args, env = {}) =>
  spawnSync(command, args, { env: { ...process.env, ...env }, stdio: "ignore" }).status === 0;

/**
 * Finds a Python 3 with the cryptography package.
 * @returns {{ command: string, env: Record<string, string> } | null}
 */
export function findPython() {
  const check = ["-c", "from cryptography.hazmat.primitives.asymmetric import ed25519"];
  const own = unpackedEnvironment();
  const candidates = [
    { command: "python3", env: {} },
    { command: "/usr/bin/python3", env: {} },
    { command: path.join(UNPACKED, "usr/bin/python3"), env: own },
    { command: "/usr/bin/python3", env: own },
  ];
  return candidates.find(({ command, env }) => works(command, check, env)) ?? null;
}

export const hasCurl = () => works("bash", ["-c", "curl --version"]);

/**
 * Fetches the tools unless they are available.
 * @returns {Promise<string | null>} what can't be fetched and why, or null
 */
export async function prepareGuideTools() {
  const missing = [findPython() ? null : "python3-cryptography", hasCurl() ? null : "curl"].filter(Boolean);
  if (missing.length === 0) return null;
  if (!missing.includes("python3-cryptography")) return "curl is missing";
  const problem = await prepareTool(HOME, {
    title: "Fetching Python's cryptography package for the tests of the guides",
    isAvailable: () => findPython() !== null,
    fetch: fetchPython,
  });
  return [problem, hasCurl() ? null : "curl is missing"].filter(Boolean).join("; ") || null;
}

async function fetchPython() {
  await unpackPackages(HOME, ["python3", "python3-cryptography"], "Python's cryptography package");
  if (!findPython()) throw new MissingTool("Python's cryptography package was fetched, but it can't be imported");
}
