import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeProblem } from "@/scripts/lib/require-node.mjs";
import { cleanUp, freePort, postmasterPid, startCrosswalk, temporaryDataDir } from "../support/processes";

const READY = "Ctrl-C stops it";
const FORM = "grant_type=client_credentials";

let dataDir: string;
let port: number;

beforeEach(async () => {
  dataDir = temporaryDataDir();
  port = await freePort();
});
afterEach(() => cleanUp(dataDir));

const start = (settings: Record<string, string> = {}) =>
  startCrosswalk({ CROSSWALK_DATA_DIR: dataDir, PORT: String(port), ...settings });

async function startReady() {
  const server = start();
  await server.printed(READY);
  return server;
}

const answers = async () => (await fetch(`http://127.0.0.1:${port}/api/2.0/nothing-here`)).status;

/** A token request whose body stops half-way until `finish` is called; resolves with the answer's status line. */
async function slowRequest() {
  const socket = net.connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const type = "content-type: application/x-www-form-urlencoded";
  socket.write(`POST /api/2.0/oauth2/token/ HTTP/1.1\r\nhost: a\r\n${type}\r\ncontent-length: ${FORM.length}\r\n\r\n`);
  socket.write(FORM.slice(0, 5));
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const statusLine = new Promise<string>((resolve) => socket.once("close", () => resolve(text.split("\r\n")[0] ?? "")));
  socket.on("error", () => {});
  return { statusLine, finish: () => socket.write(FORM.slice(5)) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("stopping", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets a request under way finish, takes no new one, and stops the database",
    async (signal) => {
      const server = await startReady();
      const request = await slowRequest();
      await pause(200);
      server.child.kill(signal);
      await server.printed("Stopping");
      await pause(200);
      await expect(answers()).rejects.toThrow();
      expect(postmasterPid(dataDir)).not.toBeNull();
      request.finish();
      expect(await request.statusLine).toBe("HTTP/1.1 401 Unauthorized");
      expect(await server.exited).toBe(0);
      expect(postmasterPid(dataDir)).toBeNull();
    },
    90_000,
  );
});

describe("npm start", () => {
  const startByNpm = () => startCrosswalk({ CROSSWALK_DATA_DIR: dataDir, PORT: String(port) }, { by: "npm" });

  test("passes on SIGTERM and ends only when the database has stopped", async () => {
    const npm = startByNpm();
    await npm.printed(READY);
    npm.child.kill("SIGTERM");
    expect(await npm.exited).toBe(0);
    expect(postmasterPid(dataDir)).toBeNull();
  }, 90_000);

  test("killed with -9 takes the server with it, so that the next start has the port", async () => {
    const npm = startByNpm();
    await npm.printed(READY);
    npm.child.kill("SIGKILL");
    await startReady();
    expect(await answers()).toBe(404);
  }, 90_000);
});

describe("the very first start", () => {
  async function subscribe(target: string) {
    const demo = JSON.parse(fs.readFileSync(path.join(dataDir, "demo.json"), "utf8"));
    const [{ client_id, client_secret }] = demo.clients;
    const api = `http://127.0.0.1:${port}/api/2.0`;
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    const answer = await fetch(`${api}/oauth2/token/`, { method: "POST", body: form });
    const { access_token } = (await answer.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const body = JSON.stringify({ resource: "physicians", target });
    return (await fetch(`${api}/subscriptions/`, { method: "POST", headers, body })).status;
  }

  test("with a demo takes webhook targets on this machine, as later ones do", async () => {
    const first = startCrosswalk({ CROSSWALK_DATA_DIR: dataDir, PORT: String(port) }, { demo: true });
    await first.printed(READY);
    expect(await subscribe("http://127.0.0.1:9/first")).toBe(201);
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    await startReady();
    expect(await subscribe("http://127.0.0.1:9/second")).toBe(201);
  }, 180_000);
});

describe("after kill -9", () => {
  test("of the server, the next start uses the database that still runs", async () => {
    const first = await startReady();
    const postmaster = postmasterPid(dataDir);
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await startReady();
    expect(await answers()).toBe(404);
    expect(postmasterPid(dataDir)).toBe(postmaster);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(postmasterPid(dataDir)).toBeNull();
  }, 90_000);

  test("of the server and the database, the next start recovers", async () => {
    const first = await startReady();
    process.kill(postmasterPid(dataDir) as number, "SIGKILL");
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await startReady();
    expect(await answers()).toBe(404);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  }, 90_000);

  test("of a start that was still making the database, the next start makes it", async () => {
    const first = start();
    await first.printed("Starting PostgreSQL");
    await pause(300);
    first.child.kill("SIGKILL");
    await first.exited;
    await startReady();
    expect(await answers()).toBe(404);
  }, 90_000);
});

test("a second server on the same folder shares the database, and leaves it running when it ends", async () => {
  await startReady();
  const postmaster = postmasterPid(dataDir);
  const second = start({ PORT: String(await freePort()) });
  await second.printed(READY);
  expect(postmasterPid(dataDir)).toBe(postmaster);
  second.child.kill("SIGTERM");
  expect(await second.exited).toBe(0);
  expect(postmasterPid(dataDir)).toBe(postmaster);
  expect(await answers()).toBe(404);
}, 90_000);

describe("one line says what is wrong where", () => {
  const errorLines = (output: string) =>
    output.split("\n").filter((line) => line.startsWith("✗") || line.includes("    at "));

  test("the port is taken", async () => {
    const blocker = net.createServer().listen(port, "127.0.0.1");
    const server = start();
    expect(await server.exited).toBe(1);
    expect(errorLines(server.output())).toEqual([expect.stringContaining(`port ${port} is taken`)]);
    blocker.close();
  }, 60_000);

  test("the database can't be reached", async () => {
    const closed = await freePort();
    const server = start({ DATABASE_URL: `postgresql://user:hidden@127.0.0.1:${closed}/crosswalk` });
    expect(await server.exited).toBe(1);
    expect(errorLines(server.output())).toEqual([
      expect.stringContaining(`127.0.0.1:${closed}/crosswalk can't be reached`),
    ]);
    expect(server.output()).not.toContain("hidden");
  }, 60_000);

  test("Node.js is too old", () => {
    expect(nodeProblem("20.18.3")).toContain("20.19");
    expect(nodeProblem("18.20.0")).toContain("18.20.0");
    for (const version of ["20.19.0", "22.0.0"]) expect(nodeProblem(version)).toBeNull();
  });
});

test("every wrong setting is listed before anything is built or started", async () => {
  const server = start({ PORT: "none", SECRET_KEY: "short", TRUST_PROXY: "perhaps" });
  expect(await server.exited).toBe(1);
  for (const name of ["PORT", "SECRET_KEY", "TRUST_PROXY"])
    expect(server.output()).toMatch(new RegExp(`^ {2}${name} `, "m"));
  expect(postmasterPid(dataDir)).toBeNull();
}, 60_000);
