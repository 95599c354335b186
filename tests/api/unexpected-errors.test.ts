// Unexpected errors anywhere in the process are logged as JSON, without values from the database. Nothing else is printed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { raw, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, seedBasics } from "../support/api";
import { owner } from "../support/owner";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { PASSWORD, type SignedIn, signInAs } from "../support/staff";

const SETTINGS = {
  LOG_LEVEL: "info",
  LOG_FILE: "",
  STREAM_CONSUMER: "worker",
  NODE_OPTIONS: "--import ./tests/support/fail-on-signal.mjs",
};

let basics: Basics;
let admin: SignedIn;
let server: RunningServer;

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled]);
  server = await startServer("production", SETTINGS);
});
afterAll(() => server?.stop());

const rename = (from: string, to: string) => owner.run(sql`ALTER TABLE ${raw(from)} RENAME TO ${raw(to)}`);
/** The lines of a process, all of which must be JSON. */
const parse = (output: string) =>
  output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const logged = (message: string) => parse(server.output()).filter(({ msg }) => msg === message);
const UNHANDLED = "unhandled error";
const REJECTION = { level: 50, event: "unhandledRejection", err: { message: "a rejection" } };
const EXCEPTION = { level: 50, event: "uncaughtException", err: { message: "an exception" } };

test("the log has the error of a page that fails, with the reference that the page shows", async () => {
  const browser = new Browser(server.url);
  expect((await browser.signIn(admin.email, PASSWORD)).status).toBe(200);
  const page = `/practices/${basics.enabled}/events/subscriptions?note=Lopez`;
  await rename("subscription", "elsewhere");
  const { text, headers } = await browser.send("GET", page).finally(() => rename("elsewhere", "subscription"));
  await expect.poll(() => logged("a page failed")).toHaveLength(1);
  const [line] = logged("a page failed");
  expect(line).toMatchObject({
    level: 50,
    err: { type: "DatabaseError", code: "42P01", stack: expect.any(String) },
    digest: expect.stringMatching(/^\d+/),
    request: headers["x-request-id"],
    method: "GET",
    route: "/practices/[practice]/events/subscriptions",
  });
  expect(text).toContain(line.digest);
  expect(server.output()).not.toContain("Lopez");
});

test("a server that has served pages logs what nobody handles once, and continues", async () => {
  process.kill(server.pid, "SIGUSR2");
  await expect.poll(() => logged(UNHANDLED)).toMatchObject([REJECTION, EXCEPTION]);
  expect((await new Browser(server.url).send("GET", "/sign-in")).status).toBe(200);
  expect(server.output()).not.toContain("Lopez");
});

test("a worker logs it and ends", async () => {
  const child = spawn(process.execPath, [programOf("worker.ts")], {
    env: { ...process.env, ...SETTINGS },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output, { timeout: 60_000 }).toContain('"worker started"');
  child.kill("SIGUSR2");
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(parse(output).filter(({ msg }) => msg === UNHANDLED)).toMatchObject([REJECTION]);
  expect(output).not.toContain("Lopez");
});
