// A cluster whose tests were killed leaves no programs and no files behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { startReaper } from "../support/faults/world";

const sleep = (options: { cwd?: string; env?: NodeJS.ProcessEnv }) =>
  spawn("sleep", ["600"], { stdio: "ignore", ...options });
const endOf = async (child: ChildProcess) => (await once(child, "exit"))[1];

test.skipIf(process.platform !== "linux")(
  "the reaper stops the programs of a cluster once its tests have ended",
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-cluster-"));
    const node = path.join(folder, "node1");
    fs.mkdirSync(node);
    const [tests, unrelated] = [sleep({}), sleep({ cwd: os.tmpdir() })];
    const programs = [sleep({ cwd: node }), sleep({ env: { ...process.env, CROSSWALK_DATA_DIR: `${folder}/data` } })];
    const reaper = startReaper(tests.pid as number, folder);
    const ends = Promise.all(programs.map(endOf));
    const reaped = endOf(reaper);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(programs.map(({ signalCode }) => signalCode)).toEqual([null, null]);
    tests.kill("SIGKILL");
    expect(await ends).toEqual(["SIGKILL", "SIGKILL"]);
    await reaped;
    expect([fs.existsSync(folder), unrelated.signalCode]).toEqual([false, null]);
    unrelated.kill("SIGKILL");
  },
);
