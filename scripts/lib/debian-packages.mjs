// Unpacks packages of Debian or a system that is based on it into a folder of the project, for programs of tests and of `npm run cluster`.
// Nothing is installed on the system, and no root access is needed.
import fs from "node:fs";
import path from "node:path";
import { run } from "./lifetime.mjs";
import { withLock } from "./lock.mjs";
import { step } from "./progress.mjs";

/** A program is not available. The message is one line for the user. */
export class MissingTool extends Error {}

/**
 * Fetches a program unless it is available. Several processes can call this at once.
 *
 * @param {string} home the folder of the program
 * @param {{ title: string, isAvailable: () => boolean, fetch: () => Promise<void> }} tool
 * @returns {Promise<string | null>} why the program is not available, or null
 */
export async function prepareTool(home, { title, isAvailable, fetch }) {
  if (isAvailable()) return null;
  try {
    await withLock(`${home}.lock`, async () => {
      if (!isAvailable()) await step(title, fetch);
    });
    return null;
  } catch (error) {
    if (error instanceof MissingTool) return error.message;
    throw error;
  }
}

/**
 * Downloads packages and those they need, and unpacks them into `root` in a folder, which is emptied first.
 *
 * @param {string} home the folder
 * @param {readonly (string | readonly string[])[]} packages a list stands for the first of its packages that the system knows
 * @param {string} name the name of the program, for messages
 * @returns {Promise<string>} the folder `root`
 * @throws {MissingTool}
 */
export async function unpackPackages(home, packages, name) {
  const { options, unpack } = await prepareFolders(home, name);
  const chosen = [];
  for (const one of packages) chosen.push(await firstKnown([one].flat(), options));
  await runTool(name, "apt-get", [
    ...options,
    // Also those that the system has.
    ...["install", "-y", "--reinstall", "--no-install-recommends", "--download-only", ...chosen],
  ]);
  return unpack();
}

/**
 * Downloads packages of a newer release of Debian from the system's mirror, without those they need, and unpacks them like `unpackPackages`.
 * Works only on Debian, because the system needs Debian's keyring and a mirror whose address ends in `/debian`. Programs that need the newer C
 * library run with `ownLoader`.
 *
 * @param {string} home
 * @param {{ release: string, packages: readonly string[] }} newer the packages to fetch. Libraries that they need must be listed, too
 * @param {string} name
 * @returns {Promise<string>}
 * @throws {MissingTool}
 */
export async function unpackNewerPackages(home, { release, packages }, name) {
  const format = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const mirror = (await runTool(name, "apt-get", format)).split("\n").find((line) => /\/debian\/?$/.test(line));
  if (!mirror) throw new MissingTool(`${name} is not installed, and apt has no mirror that ends in /debian`);
  const source = `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} ${release} main\n`;
  const { options, archives, unpack } = await prepareFolders(home, name, source);
  await runTool(name, "apt-get", [...options, "download", ...packages], archives);
  return unpack();
}

/**
 * Empties the folder, and reads the lists of packages: the system's, or those of `source`. Returns apt's options, the folder for downloads,
 * and what unpacks them.
 */
async function prepareFolders(home, name, source = "") {
  fs.rmSync(home, { recursive: true, force: true });
  const [state, cache, root] = ["state", "cache", "root"].map((folder) => path.join(home, folder));
  const archives = path.join(cache, "archives");
  for (const folder of [path.join(state, "lists/partial"), path.join(archives, "partial"), root])
    fs.mkdirSync(folder, { recursive: true });
  // Uses separate lists and downloads and none of the system's locks.
  const own = [`Dir::State=${state}`, "Dir::State::status=/var/lib/dpkg/status", `Dir::Cache=${cache}`];
  if (source) {
    const list = path.join(state, "sources.list");
    fs.writeFileSync(list, source);
    own.push(`Dir::Etc::sourcelist=${list}`, "Dir::Etc::sourceparts=/dev/null");
  }
  const calm = ["Debug::NoLocking=true", "APT::Sandbox::User=root", "Acquire::Retries=1", "Acquire::http::Timeout=20"];
  const options = [...own, ...calm].flatMap((option) => ["-o", option]);
  await runTool(name, "apt-get", [...options, "update"]);
  const unpack = async () => {
    for (const file of fs.readdirSync(archives).filter((one) => one.endsWith(".deb")))
      await runTool(name, "dpkg", ["-x", path.join(archives, file), root]);
    for (const folder of [state, cache]) fs.rmSync(folder, { recursive: true });
    return root;
  };
  return { options, archives, unpack };
}

/** Returns the first package that the system knows, or the last one. */
async function firstKnown(packages, options) {
  for (const name of packages.slice(0, -1)) {
    const { code } = await run("apt-cache", [...options, "show", name], { output: "keep" });
    if (code === 0) return name;
  }
  return packages.at(-1);
}

/** Returns the output. */
async function runTool(name, command, args, cwd = process.cwd()) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
  const { code, output } = await run(command, args, { output: "keep", env, cwd }).catch((error) => {
    if (error.code === "ENOENT")
      throw new MissingTool(`${name} is not installed, and ${command}, which is needed to fetch it, is missing`);
    throw error;
  });
  const problem = output.split("\n").findLast((line) => line.startsWith("E: ")) ?? `exit code ${code}`;
  if (code !== 0) throw new MissingTool(`${name} can't be fetched (${path.basename(command)}: ${problem})`);
  return output;
}

/**
 * Returns the folders of the libraries of unpacked packages, for LD_LIBRARY_PATH.
 *
 * @param {string} root
 */
export function libraryFolders(root) {
  return ["usr/lib", "lib"].flatMap((place) => {
    const folder = path.join(root, place);
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names.filter((name) => /-linux-/.test(name)).map((name) => path.join(folder, name));
  });
}

/**
 * Returns the start of a command that runs unpacked programs with their own C library.
 *
 * @param {string} root
 */
export function ownLoader(root) {
  const loader = ["usr/lib64", "usr/lib"]
    .map((folder) => path.join(root, folder))
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
    .find((file) => path.basename(file).startsWith("ld-linux"));
  return loader ? [loader, "--library-path", libraryFolders(root).join(":")] : [];
}
