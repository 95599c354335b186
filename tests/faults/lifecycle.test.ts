import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql } from "@/lib/platform/db/sql";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { nodeProblem } from "@/scripts/lib/require-node.mjs";
import { seedBasics } from "../support/api";
import { owner, ownerUrl } from "../support/owner";
import { cleanUp, copyDataDir, postmasterPid, startCrosswalk, temporaryDataDir } from "../support/processes";

const READY = "Press Ctrl-C to stop";
const FORM = "grant_type=client_credentials";

/** The data folder of a server that was started once and stopped, because creating a database takes most of a first start. */
let usedDataDir: string;
/** Empty, unless a test starts from a copy of the used folder. */
let dataDir: string;
let port: number;

beforeAll(async () => {
  usedDataDir = temporaryDataDir();
  const server = startCrosswalk({ CROSSWALK_DATA_DIR: usedDataDir, PORT: String(await freePort()) });
  await server.printed(READY);
  server.child.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});
afterAll(() => cleanUp(usedDataDir));
beforeEach(async () => {
  dataDir = temporaryDataDir();
  port = await freePort();
});
afterEach(() => cleanUp(dataDir));

/** Starts from the used data folder, for tests that need no first start. */
function useCopy() {
  copyDataDir(usedDataDir, dataDir);
}

const start = (settings: Record<string, string> = {}, by: "node" | "npm" = "node") =>
  startCrosswalk({ CROSSWALK_DATA_DIR: dataDir, PORT: String(port), ...settings }, { by });

async function startReady(by: "node" | "npm" = "node") {
  const server = start({}, by);
  await server.printed(READY);
  return server;
}

const probe = async () => (await fetch(`http://127.0.0.1:${port}/api/2.0/nothing-here`)).status;

/** Sends a token request whose body stops half-way until `finish` is called; resolves with the response's status line. */
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
  beforeEach(useCopy);

  test.each([
    ["SIGTERM", "npm"],
    ["SIGINT", "node"],
  ] as const)(
    "%s to %s lets requests in progress finish, accepts no new ones, and ends after the database has stopped",
    async (signal, by) => {
      const server = await startReady(by);
      const request = await slowRequest();
      await pause(200);
      server.child.kill(signal);
      await server.printed("Stopping");
      await pause(200);
      await expect(probe()).rejects.toThrow();
      expect(postmasterPid(dataDir)).not.toBeNull();
      request.finish();
      expect(await request.statusLine).toBe("HTTP/1.1 401 Unauthorized");
      expect(await server.exited).toBe(0);
      expect(postmasterPid(dataDir)).toBeNull();
    },
  );

  test("killing npm with -9 also stops the server, so that the next start gets the port", async () => {
    const npm = await startReady("npm");
    npm.child.kill("SIGKILL");
    await startReady();
    expect(await probe()).toBe(404);
  });
});

describe("the bundled database", () => {
  beforeEach(useCopy);

  const URL_OF_OWNER = /postgres\.password|postgresql:\/\/crosswalk:/;

  test.runIf(fs.existsSync("/proc/self/environ"))("is started without the server's secrets", async () => {
    const secrets = {
      SECRET_KEY: "mark-of-the-secret-key-of-this-installation",
      NEXTAUTH_SECRET: "mark-of-next-auth",
      S3_SECRET_ACCESS_KEY: "mark-of-s3",
      S3_ACCESS_KEY_ID: "mark-of-s3-id",
      OIDC_ISSUER: "https://mark-of-oidc.example.org",
      OIDC_CLIENT_ID: "mark-of-oidc-client",
      OIDC_CLIENT_SECRET: "mark-of-oidc-secret",
    };
    const server = start(secrets);
    await server.printed(READY);
    const environment = fs.readFileSync(`/proc/${postmasterPid(dataDir)}/environ`, "utf8");
    expect(environment.length).toBeGreaterThan(0);
    expect(environment).not.toContain("mark-of");
    expect(environment).not.toContain("DATABASE_URL");
  });

  test("without an account, says how to create the first one", async () => {
    const server = await startReady();
    expect(server.output()).toContain("npx crosswalk setup --organization NAME");
  });

  test("gets a server role without the owner's rights at the next start of an older data folder", async () => {
    const kept = path.join(dataDir, "postgres.app-password");
    expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
    // As an earlier version left it: one role, which owns everything, and no known password for the other.
    fs.rmSync(kept);
    const server = await startReady();
    expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
    expect(server.output()).not.toMatch(/is a superuser|owns the tables/);
    expect(server.output()).not.toMatch(URL_OF_OWNER);
    const asServer = new URL("postgresql://127.0.0.1/crosswalk");
    asServer.port = fs.readFileSync(path.join(dataDir, "postgres.port"), "utf8").trim();
    asServer.username = "crosswalk_app";
    asServer.password = fs.readFileSync(kept, "utf8").trim();
    await asAdmin(asServer.href, async (client) => {
      await expect(client.query("DELETE FROM audit_entry")).rejects.toThrow("permission denied");
      const wrong =
        "INSERT INTO staff_user (organization_id, email, name, password_hash, role) VALUES (1, 'X', $1, '-', 'staff')";
      await expect(client.query(wrong, ["Zebra Clinic"])).rejects.toMatchObject({ code: "23514" });
      // Excludes PostgreSQL's own vacuum and an ending session of the migrations, which are not the server's.
      const sessions = `SELECT DISTINCT usename FROM pg_stat_activity
        WHERE datname = 'crosswalk' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
      await expect.poll(async () => (await client.query(sessions)).rows).toEqual([{ usename: "crosswalk_app" }]);
    });
    const logged = fs.readFileSync(path.join(dataDir, "postgres/server.log"), "utf8");
    expect(logged).toContain("staff_user_email_lower");
    expect(logged).not.toContain("Zebra");
  });
});

describe("an external database", () => {
  const settings = () => ({ DATABASE_URL: process.env.DATABASE_URL as string, SECRET_KEY: "k".repeat(40) });
  const leaveDemo = () => {
    const staff = [{ email: "admin@demo.example", password: "x" }];
    const demo = { clients: [{ client_id: "left-behind", client_secret: "x" }], staff };
    fs.mkdirSync(dataDir, { recursive: true });
    fs.writeFileSync(path.join(dataDir, "demo.json"), JSON.stringify(demo));
  };

  test("ignores another database's demo.json", async () => {
    const basics = await seedBasics();
    leaveDemo();
    const server = start(settings());
    await server.printed(READY);
    expect(server.output()).not.toMatch(/Demo accounts|demo\.example|left-behind/);
    const response = await fetch(`http://127.0.0.1:${port}/api/2.0/subscriptions/`, {
      method: "POST",
      headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json" },
      body: JSON.stringify({ resource: "physicians", target: "http://127.0.0.1:9/first" }),
    });
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([400, ["target"]]);
  });

  test("works if its role owns the tables, with a warning at each start", async () => {
    const server = start({ ...settings(), DATABASE_URL: ownerUrl() });
    await server.printed(READY);
    expect(server.output()).toMatch(/! The server's database role \w+ is a superuser: .*docs\/guides\/database\.md/);
  });

  test("is migrated by its owner and served by a role with only the necessary rights", async () => {
    const server = start({ ...settings(), MIGRATION_DATABASE_URL: ownerUrl() });
    await server.printed(READY);
    expect(server.output()).not.toContain("The server's database role");
    expect(await probe()).toBe(404);
  });

  test("reports pending migrations that its role can't apply, and what to do", async () => {
    const [{ name, checksum }] = (await owner.rows<{ name: string; checksum: string }>(
      sql`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_initial' RETURNING migration_name AS name, checksum`,
    )) as [{ name: string; checksum: string }];
    try {
      const server = start(settings());
      expect(await server.exited).toBe(1);
      expect(server.output()).toContain("1 migration is pending, and only the owner of the tables can apply them");
      expect(server.output()).toContain("MIGRATION_DATABASE_URL");
    } finally {
      await owner.run(sql`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
        VALUES (gen_random_uuid()::text, ${checksum}, ${name}, now(), 1)`);
    }
  });
});

describe("after kill -9", () => {
  test("the next start uses the running database if only the server was killed", async () => {
    useCopy();
    const first = await startReady();
    const postmaster = postmasterPid(dataDir);
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await startReady();
    expect(await probe()).toBe(404);
    expect(postmasterPid(dataDir)).toBe(postmaster);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(postmasterPid(dataDir)).toBeNull();
  });

  test("the next start recovers if the database was killed too", async () => {
    useCopy();
    const first = await startReady();
    process.kill(postmasterPid(dataDir) as number, "SIGKILL");
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await startReady();
    expect(await probe()).toBe(404);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  test("the next start creates the database if it was still being created", async () => {
    const first = start();
    await first.printed("Starting PostgreSQL");
    await pause(300);
    first.child.kill("SIGKILL");
    await first.exited;
    await startReady();
    expect(await probe()).toBe(404);
  });
});

test("a second server on the same folder shares the database, and leaves it running when it stops", async () => {
  useCopy();
  await startReady();
  const postmaster = postmasterPid(dataDir);
  const second = start({ PORT: String(await freePort()) });
  await second.printed(READY);
  expect(postmasterPid(dataDir)).toBe(postmaster);
  second.child.kill("SIGTERM");
  expect(await second.exited).toBe(0);
  expect(postmasterPid(dataDir)).toBe(postmaster);
  expect(await probe()).toBe(404);
});

describe("one line reports that", () => {
  const errorLines = (output: string) =>
    output.split("\n").filter((line) => line.startsWith("✗") || line.includes("    at "));

  test("the port is taken", async () => {
    const blocker = net.createServer().listen(port, "127.0.0.1");
    const server = start();
    expect(await server.exited).toBe(1);
    expect(errorLines(server.output())).toEqual([expect.stringContaining(`port ${port} is in use`)]);
    blocker.close();
  });

  test("the database can't be reached", async () => {
    const closed = await freePort();
    const server = start({ DATABASE_URL: `postgresql://user:hidden@127.0.0.1:${closed}/crosswalk` });
    expect(await server.exited).toBe(1);
    expect(errorLines(server.output())).toEqual([
      expect.stringContaining(`127.0.0.1:${closed}/crosswalk can't be reached`),
    ]);
    expect(server.output()).not.toContain("hidden");
  });

  test("Node.js is too old", () => {
    expect(nodeProblem("20.18.3")).toContain("20.19");
    expect(nodeProblem("18.20.0")).toContain("18.20.0");
    for (const version of ["20.19.0", "22.0.0"]) expect(nodeProblem(version)).toBeNull();
  });
});

test("every invalid setting is listed before anything is built or started", async () => {
  const server = start({ PORT: "none", SECRET_KEY: "short", TRUST_PROXY: "perhaps" });
  expect(await server.exited).toBe(1);
  for (const name of ["PORT", "SECRET_KEY", "TRUST_PROXY"])
    expect(server.output()).toMatch(new RegExp(`^ {2}${name} `, "m"));
  expect(postmasterPid(dataDir)).toBeNull();
});
