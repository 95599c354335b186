// Operating system conditions: small disks, unprivileged users, readers that stop early.
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ScriptResult } from "./run-script";

const NOBODY = 65_534;

/** Whether this process runs as root, which can switch to other users. */
export const isRoot = process.getuid?.() === 0;
/** Whether this process can mount file systems. In some containers, even root can't. */
export const canMount = isRoot && tryMount();

function tryMount(): boolean {
  const disk = smallDisk("64k");
  disk?.remove();
  return disk !== null;
}

/** Mounts a file system of the given size in an empty folder, by default a new one. Returns null if mounting fails. */
export function smallDisk(
  size: string,
  folder: string = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-disk-")),
): { folder: string; resize: (to: string) => void; remove: () => void } | null {
  const mount = (options: string) => spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0;
  if (!mount(`size=${size},mode=755`)) {
    fs.rmdirSync(folder);
    return null;
  }
  return {
    folder,
    resize: (to) => void spawnSync("mount", ["-o", `remount,size=${to}`, folder]),
    remove: () => {
      spawnSync("umount", ["-l", folder]);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Spawn options that run a program as an unprivileged user: the current user, or `nobody` if that is root. */
export const asNobody: Pick<SpawnOptions, "uid" | "gid"> = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Creates an empty temporary folder that the unprivileged user can write to. Deletes it after the test. */
export function createUnprivilegedFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-nobody-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  if (isRoot) fs.chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** Runs a program and waits for it to exit. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<ScriptResult> {
  const child = spawn(command, [...args], { stdio: ["ignore", "pipe", "pipe"], ...options });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...text }));
  });
}

/**
 * Runs a program and reads only the first line of its output, like `head -n 1`.
 *
 * @returns the program's exit code and the output that was read
 */
export async function runIntoHead(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ScriptResult> {
  const quoted = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  // The shell reports the exit code of the program, not of `head`.
  return runProgram("bash", ["-c", `${quoted} | head -n 1; exit \${PIPESTATUS[0]}`], { env });
}
