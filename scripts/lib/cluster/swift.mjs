// Fetches and starts OpenStack Swift, whose S3 API the tests of card images use. Its Debian packages are unpacked into a folder of the
// project; nothing is installed on the system.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { libraryFolders, MissingTool, prepareTool, unpackPackages } from "../debian-packages.mjs";
import { inRoot } from "../paths.mjs";

const HOME = inRoot(".data/test-swift");
const PACKAGES = ["swift-proxy", "swift-object", "swift-container", "swift-account"];
const NO_ATTRIBUTES = 3;

/**
 * Fetches Swift unless it is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export function prepareSwift() {
  const title = "Fetching OpenStack Swift for the tests of card images in S3";
  return prepareTool(HOME, { title, isAvailable: isReady, fetch: fetchSwift });
}

/** Returns whether Swift is unpacked. The marker is written last, and becomes invalid when the system's Python changes. */
const isReady = () => {
  const mark = path.join(HOME, "ready");
  return fs.existsSync(mark) && fs.readFileSync(mark, "utf8") === systemPython();
};

const systemPython = () => `${spawnSync("python3", ["--version"], { encoding: "utf8" }).stdout ?? "none"}`;

async function fetchSwift() {
  await unpackPackages(HOME, PACKAGES, "OpenStack Swift");
  const trial = await launchSwift({ accessKeyId: "tests:trial", secretAccessKey: "trial" });
  await trial.stop();
  fs.writeFileSync(path.join(HOME, "ready"), systemPython());
}

/**
 * Starts Swift on free loopback ports, in a folder that is deleted with it.
 * @param {{ accessKeyId: string, secretAccessKey: string }} keys the key's id in Swift's form, ACCOUNT:USER
 * @param {string} [parent] where to make the folder, if its file system supports extended attributes
 * @returns {Promise<{ endpoint: string, signal: (signal: NodeJS.Signals) => void, stop: () => Promise<void> }>} `signal` sends a signal
 */
export async function launchSwift(keys, parent = os.tmpdir()) {
  // In-memory file systems of older kernels do not support extended attributes; the project's folder is on a disk.
  const [first, second] = [parent, inRoot(".data")].map((place) =>
    path.join(place, `crosswalk-swift-${randomBytes(6).toString("hex")}`),
  );
  const started = await launchIn(first, keys);
  const { endpoint, signal, stop, problem } = started.code === NO_ATTRIBUTES ? await launchIn(second, keys) : started;
  if (!endpoint) throw new MissingTool(`OpenStack Swift could not be started: ${problem}`);
  return { endpoint, signal, stop };
}

async function launchIn(folder, { accessKeyId, secretAccessKey }) {
  const root = path.join(HOME, "root");
  const own = path.join(root, "usr/bin/python3");
  const env = {
    ...process.env,
    PYTHONPATH: path.join(root, "usr/lib/python3/dist-packages"),
    PYTHONWARNINGS: "ignore",
    LD_LIBRARY_PATH: libraryFolders(root).join(":"),
  };
  const args = [inRoot("scripts/lib/cluster/s3-server.py"), folder, accessKeyId, secretAccessKey];
  const child = spawn(fs.existsSync(own) ? own : "python3", args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", resolve);
  });
  const port = new Promise((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (output.includes("\n")) resolve(Number(output));
    });
  });
  const stop = async () => {
    child.stdin.end();
    const limit = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(limit);
    fs.rmSync(folder, { recursive: true, force: true });
  };
  const first = await Promise.race([port, ended.then((code) => ({ code }))]);
  if (typeof first === "number")
    return { endpoint: `http://127.0.0.1:${first}`, signal: (signal) => child.kill(signal), stop };
  await stop();
  const noAttributes = "its folder does not support extended attributes";
  return { code: first.code, problem: first.code === NO_ATTRIBUTES ? noAttributes : errors.trim().split("\n").at(-1) };
}

/** Returns whether `prepareSwift` succeeded. */
export const hasSwift = () => isReady();
