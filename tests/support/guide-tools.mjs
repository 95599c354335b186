// Finds what the tests of the guides run besides Node: curl, and Python with the cryptography package. Missing tools are
// unpacked from Debian's packages, if available, into a folder of the project; nothing is installed on the system.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { run } from "../../scripts/lib/lifetime.mjs";
import { withLock } from "../../scripts/lib/lock.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";
import { step } from "../../scripts/lib/progress.mjs";

const HOME = inRoot(".data/test-guide-tools");
const UNPACKED = path.join(HOME, "root");

/** Returns the environment in which the unpacked programs find their libraries. */
function unpackedEnvironment() {
  const libraries = ["usr/lib", "lib"].flatMap((place) => {
    const folder = path.join(UNPACKED, place);
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names.filter((name) => /-linux-/.test(name)).map((name) => path.join(folder, name));
  });
  return { PYTHONPATH: path.join(UNPACKED, "usr/lib/python3/dist-packages"), LD_LIBRARY_PATH: libraries.join(":") };
}

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
  const problem = await withLock(`${HOME}.lock`, () =>
    findPython() ? null : step("Fetching Python's cryptography package for the tests of the guides", fetchPython),
  );
  return [problem, hasCurl() ? null : "curl is missing"].filter(Boolean).join("; ") || null;
}

async function fetchPython() {
  fs.rmSync(HOME, { recursive: true, force: true });
  const [state, cache] = ["state", "cache"].map((name) => path.join(HOME, name));
  for (const folder of [path.join(state, "lists/partial"), path.join(cache, "archives/partial"), UNPACKED])
    fs.mkdirSync(folder, { recursive: true });
  const own = [`Dir::State=${state}`, "Dir::State::status=/var/lib/dpkg/status", `Dir::Cache=${cache}`];
  const calm = ["Debug::NoLocking=true", "APT::Sandbox::User=root", "Acquire::Retries=1", "Acquire::http::Timeout=20"];
  const options = [...own, ...calm].flatMap((option) => ["-o", option]);
  const archives = path.join(cache, "archives");
  const wanted = ["install", "-y", "--no-install-recommends", "--download-only", "python3", "python3-cryptography"];
  const commands = [
    ["apt-get", ...options, "update"],
    ["apt-get", ...options, ...wanted],
  ];
  for (const [command, ...args] of commands) {
    const { code, output } = await run(command, args, { output: "keep" }).catch((error) => ({
      code: 1,
      output: `E: ${error.message}`,
    }));
    const why = output.split("\n").findLast((line) => line.startsWith("E: ")) ?? `exit code ${code}`;
    if (code !== 0) return `Python's cryptography can't be fetched (${why})`;
  }
  for (const name of fs.readdirSync(archives).filter((file) => file.endsWith(".deb")))
    await run("dpkg", ["-x", path.join(archives, name), UNPACKED], { output: "keep" });
  for (const folder of [state, cache]) fs.rmSync(folder, { recursive: true });
  return findPython() ? null : "Python's cryptography package was fetched, but it can't be imported";
}
