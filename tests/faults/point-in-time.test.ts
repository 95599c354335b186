// The restore drill of docs/guides/backup.md with the files of deploy/pgbackrest: the machine of the database is lost, and restored to a random
// moment before. Everything acknowledged until then is there, nothing that began later is, and each card image matches.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { ensureRole, RUNTIME_ROLE } from "@/scripts/lib/roles.mjs";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { createCertificate } from "../support/certificates";
import { DatabaseMachine } from "../support/debian-postgres.mjs";
import { imageContent } from "../support/images";
import { environmentOf, hasObjectStore, type ObjectStore, startObjectStore } from "../support/object-store";
import { changeSettings } from "../support/process-state";
import { runScript } from "../support/run-script";
import { expectStoresAgree } from "../support/stores";

const WRITERS = 4;
/** The machine is lost after this time and at least this many writes, however slow it is. */
const LOST_MS = 6_000;
const LEAST_WRITES = 60;
/** It is restored to a moment with more writes than this before it, and at least as many as this after it. */
const EARLY = 16;
const LATE = 4;

/** A write that a client made: when it began, and when it was acknowledged. Times are in milliseconds. */
interface Write {
  requestId: string;
  path: string;
  began: number;
  acknowledged: number;
}

describe.skipIf(!hasClusterPrograms() || !hasObjectStore)("a database restored to a moment", () => {
  let machine: DatabaseMachine;
  let store: ObjectStore;
  let tls: https.Server;
  let basics: Basics;
  let ownerUrl: string;
  /** Runs the command of the guide. */
  let crosswalkBackup: (...args: string[]) => Promise<string>;
  const writes: Write[] = [];

  beforeAll(async () => {
    store = await startObjectStore();
    tls = await startTls(store.settings.endpoint);
    machine = new DatabaseMachine(await freePort());
    machine.variables = { ...machine.variables, ...backupSettings() };
    crosswalkBackup = machine.installBackups();
    await machine.initialize(fs.readFileSync("deploy/pgbackrest/postgresql.conf", "utf8"));
    await machine.startPostgres();
    await machine.query("CREATE DATABASE crosswalk");
    ownerUrl = machine.url("crosswalk");
    const url = await ensureRole(ownerUrl, { role: RUNTIME_ROLE, password: "unused" });
    await deploy(ownerUrl, undefined, RUNTIME_ROLE);
    await changeSettings({ ...environmentOf(store), DATABASE_URL: url, S3_PREFIX: "cards/" });
    basics = await seedBasics();
  });
  afterAll(async () => {
    await closePool();
    await machine?.remove();
    tls?.close();
    await store?.stop();
  });

  /** What differs from deploy/pgbackrest/pgbackrest.conf on this machine. */
  function backupSettings(): Record<string, string> {
    const settings = {
      config: machine.writeFile("pgbackrest.conf", fs.readFileSync("deploy/pgbackrest/pgbackrest.conf", "utf8")),
      pg1_path: machine.data,
      pg1_port: machine.port,
      pg1_socket_path: machine.folder,
      pg1_user: "postgres",
      log_path: machine.makeFolder("log"),
      lock_path: machine.makeFolder("lock"),
      spool_path: machine.makeFolder("spool"),
      repo1_cipher_pass: "a passphrase of the tests",
      repo1_s3_bucket: store.settings.bucket,
      repo1_s3_endpoint: "127.0.0.1",
      repo1_s3_uri_style: "path",
      repo1_s3_key: store.settings.accessKeyId,
      repo1_s3_key_secret: store.settings.secretAccessKey,
      repo1_storage_port: (tls.address() as AddressInfo).port,
      repo1_storage_verify_tls: "n",
    };
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`PGBACKREST_${name.toUpperCase()}`, String(value)]),
    );
  }

  const pgbackrest = (...args: string[]) => machine.run("pgbackrest", "--stanza=crosswalk", ...args);

  /** Sends a request, and notes when it was acknowledged. */
  async function write(method: string, to: string, body: object) {
    const requestId = randomUUID();
    const began = Date.now();
    const response = await call(method, to, { token: basics.token, body, headers: { "x-request-id": requestId } });
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    writes.push({ requestId, path: to, began, acknowledged: Date.now() });
    return response.body;
  }

  /** Writes to both stores of a patient in turn, and uploads a card image for each new policy. */
  async function writeUntil(end: number, patient: number) {
    const own = `patients/${patient}`;
    for (let round = 0; Date.now() < end || writes.length < LEAST_WRITES; round++) {
      const policy = await write("POST", `${own}/policies`, { ...MARIA, rank: 1, member_id: `M${round}` });
      await write("POST", `${own}/policies/${policy.id}/card-images`, { image: await imageContent(round) });
      await write("PUT", `${own}/policies/${policy.id}`, { ...MARIA, rank: 1, group_id: `G${round}` });
      await write("PATCH", own, {
        insurances: [{ id: policy.patient_insurance, rank: "primary", plan: `P${round}` }],
      });
    }
  }

  test("has what was acknowledged until then, and nothing later", { timeout: 180_000 }, async ({ onTestFailed }) => {
    await pgbackrest("stanza-create");
    await expect(crosswalkBackup("restore", "latest")).rejects.toThrow("The repository has no full backup.");
    await crosswalkBackup("full");
    // pgBackRest only restores a backup that ended in an earlier second.
    await setTimeout(1_000);
    const patients = await Promise.all(
      Array.from({ length: WRITERS }, () => seedPatient(basics.enabled, basics.physicians.enabled)),
    );
    const end = Date.now() + LOST_MS;
    await Promise.all(patients.map((patient) => writeUntil(end, patient)));
    const moment = chooseMoment(writes);
    onTestFailed(() => console.error(`restored to ${moment.toISOString()}`));
    // What archive_timeout does after a minute.
    const [last] = await machine.query("SELECT pg_walfile_name(pg_switch_wal()) AS segment");
    const archived = () =>
      machine.query("SELECT last_archived_wal >= $1 AS archived FROM pg_stat_archiver", [last?.segment]);
    await expect.poll(archived, { timeout: 60_000 }).toEqual([{ archived: true }]);

    await closePool();
    await machine.lose();
    for (const target of ["09:30", "2026-11-27", "2026-11-27T09:30:00+00", "2026-11-27 09:30:00"]) {
      await expect(crosswalkBackup("restore", target)).rejects.toThrow("Usage: crosswalk-backup");
    }
    // A backup that does not exist is noticed before anything is lost.
    fs.writeFileSync(path.join(machine.data, "kept"), "");
    await expect(crosswalkBackup("restore", "2001-01-01 00:00:00+00")).rejects.toThrow("The data is as before.");
    expect(fs.readdirSync(machine.data)).toEqual(["kept"]);
    await crosswalkBackup("restore", moment.toISOString().replace("T", " ").replace("Z", "+00"));
    expect(await machine.query("SELECT pg_is_in_recovery() AS recovering")).toEqual([{ recovering: false }]);

    const rows = await db.rows<{ request: string }>(sql`
      SELECT request_id AS request FROM policy_version UNION SELECT request_id FROM patient_version`);
    const found = new Set(rows.map(({ request }) => request));
    const early = writes.filter(({ acknowledged }) => acknowledged < moment.getTime());
    const late = writes.filter(({ began: start }) => start > moment.getTime());
    expect(early.length).toBeGreaterThan(EARLY);
    expect(late.length).toBeGreaterThanOrEqual(LATE);
    expect(early.filter(({ requestId }) => !found.has(requestId))).toEqual([]);
    expect(late.filter(({ requestId }) => found.has(requestId))).toEqual([]);
    for (const patient of patients) await expectStoresAgree(patient);

    const images = await runScript("images.ts", ["check"]);
    expect([images.code, images.stderr], images.stdout).toEqual([0, ""]);
    expect(images.stdout).toMatch(/Images: (\d+) known, \1 match, 0 missing, 0 damaged/);
    // Each upload before the moment, and at most one more of each writer, acknowledged after it.
    const known = Number(/Images: (\d+) known/.exec(images.stdout)?.[1]);
    const uploaded = early.filter(({ path: to }) => to.endsWith("/card-images")).length;
    expect(known).toBeGreaterThanOrEqual(uploaded);
    expect(known).toBeLessThanOrEqual(uploaded + WRITERS);
    const audit = await runScript("audit-verify.ts", []);
    expect([audit.code, audit.stderr], audit.stdout).toEqual([0, ""]);
    // The restored installation accepts writes on a new timeline, and can be backed up.
    await write("PATCH", `patients/${patients[0]}`, { notes: "after the restore" });
    await crosswalkBackup("full");
    expect(await pgbackrest("info")).toContain("status: ok");
    const finished = fs.readFileSync(path.join(machine.folder, "metrics/crosswalk-backup.prom"), "utf8");
    const seconds = Number(/^backup_finished_timestamp_seconds (\d+)\n$/.exec(finished)?.[1]);
    expect(Math.abs(Date.now() / 1_000 - seconds)).toBeLessThan(60);
  });
});

/** Returns a random moment between the first writes and the last. */
function chooseMoment(writes: readonly Write[]): Date {
  const ascending = (times: number[]) => times.sort((one, other) => one - other);
  const from = ascending(writes.map(({ acknowledged }) => acknowledged))[EARLY] as number;
  const until = ascending(writes.map(({ began }) => began)).at(-LATE) as number;
  expect(until - from).toBeGreaterThan(1);
  return new Date(from + 1 + Math.floor(Math.random() * (until - from - 1)));
}

/** Starts a proxy with TLS in front of a store, because pgBackRest does not speak plain HTTP. */
async function startTls(endpoint: string): Promise<https.Server> {
  const { hostname, port } = new URL(endpoint);
  const server = https.createServer(createCertificate({ names: ["127.0.0.1"] }), (request, response) => {
    const { method, url, headers } = request;
    // A connection for each request, because Swift sends a body after the headers of a HEAD.
    const forwarded = http.request({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => {
      if (!response.headersSent) response.destroy();
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
