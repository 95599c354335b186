// deploy/patroni/patroni.yaml with TLS and backups, as on three machines: a backup is made after a switchover, and the cluster is restored to a
// moment with the steps of docs/guides/backup.md. `npm run cluster` and its faults have neither TLS nor backups.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { DatabaseCluster } from "@/scripts/lib/cluster/databases.mjs";
import { CLUSTER_PROGRAMS, hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import type { Machine } from "@/scripts/lib/machine.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { createCertificate } from "../support/certificates";
import { installBackups } from "../support/debian-postgres.mjs";
import { printLogs } from "../support/faults/logs";
import { until } from "../support/faults/until";

const HOST = "127.0.0.1";
const STANZA = "--stanza=crosswalk";
const WAIT_MS = 90_000;
const patroni = parse(fs.readFileSync(inRoot("deploy/patroni/patroni.yaml"), "utf8"));

describe.skipIf(!hasClusterPrograms())("a cluster under Patroni", () => {
  // Ed25519 keys don't work with PostgreSQL's channel binding.
  const { key, cert } = createCertificate({ names: [HOST], ecdsa: true });
  let folder: string;
  let repository: string;
  let databases: DatabaseCluster;
  let ports: { patroni: number; postgres: number }[];

  /** The paths that differ from those of the files of deploy/. The rest of Patroni's settings is theirs. */
  function settings(machine: Machine) {
    const backups = {
      config: machine.writeFile(
        "pgbackrest.conf",
        fs.readFileSync(inRoot("deploy/pgbackrest/pgbackrest.conf"), "utf8"),
      ),
      pg1_path: path.join(machine.folder, "postgres/data"),
      pg1_socket_path: path.join(machine.folder, "sockets"),
      pg1_port: String(ports[Number(path.basename(machine.folder).slice(-1)) - 1]?.postgres),
      pg1_user: "postgres",
      log_path: machine.makeFolder("log"),
      lock_path: machine.makeFolder("lock"),
      spool_path: machine.makeFolder("spool"),
      repo1_type: "posix",
      repo1_path: repository,
      repo1_cipher_pass: "a passphrase of the tests",
    };
    for (const [name, value] of Object.entries(backups)) machine.variables[`PGBACKREST_${name.toUpperCase()}`] = value;
    return {
      parameters: {
        ssl_cert_file: machine.writeFile("server.crt", cert),
        ssl_key_file: machine.writeFile("server.key", key),
      },
      // Here, not only a user named postgres is the superuser.
      pg_hba: patroni.postgresql.pg_hba.map((rule: string) => rule.replace(/^local (.*) peer$/, "local $1 trust")),
    };
  }

  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-patroni-"));
    fs.chmodSync(folder, 0o755);
    repository = path.join(folder, "repository");
    const places = async () => ({ patroni: await freePort(), postgres: await freePort() });
    ports = [await places(), await places(), await places()];
    const etcd = [];
    for (const _ of ports) etcd.push({ client: await freePort(), peer: await freePort() });
    databases = new DatabaseCluster({
      folder,
      root: CLUSTER_PROGRAMS,
      machines: ports.map((own) => ({ host: HOST, ...own })),
      etcd: { host: HOST, ports: etcd },
      passwords: { superuser: "superuser", others: "others" },
      settings,
    });
    const [first = ""] = databases.names;
    const { uid, gid } = fs.statSync(databases.machine(first).folder);
    fs.mkdirSync(repository);
    fs.chownSync(repository, uid, gid);
  });
  afterAll(async () => {
    await databases?.stop();
    if (folder) fs.rmSync(folder, { recursive: true, force: true });
  });

  /** Starts all machines, again if another program used one of their ports. */
  const start = () =>
    until(() => {
      databases.start();
      return databases.isHealthy();
    }, WAIT_MS);
  async function primary() {
    const name = await databases.primary();
    if (!name) throw new Error("there is no primary");
    return name;
  }
  const run = async (...command: [string, ...string[]]) => databases.machine(await primary()).run(...command);
  const portOf = (name: string) => ports[databases.names.indexOf(name)]?.postgres;
  /** Runs a statement on the primary, as superuser and over its socket. */
  async function query(text: string) {
    const name = await primary();
    const socket = encodeURIComponent(path.join(databases.machine(name).folder, "sockets"));
    const url = `postgresql://postgres@${socket}:${portOf(name)}/postgres`;
    return (await asAdmin(url, (client) => client.query(text))).rows;
  }

  /** Connects as a role from another machine, and returns whether the connection is encrypted. */
  async function connect(role: string, parameters: string) {
    const name = await primary();
    const url = `postgresql://${role}:${role === "postgres" ? "superuser" : "app"}@${HOST}:${portOf(name)}/crosswalk?${parameters}`;
    const encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    return (await asAdmin(url, (client) => client.query(encrypted))).rows[0]?.ssl;
  }

  const names = () => query("SELECT name FROM kept ORDER BY name").then((rows) => rows.map(({ name }) => name));
  /** Makes the primary archive what was written, as archive_timeout does after a minute. */
  async function archive() {
    const [{ segment }] = await query("SELECT pg_walfile_name(pg_switch_wal()) AS segment");
    await until(async () => {
      const [{ last }] = await query("SELECT last_archived_wal AS last FROM pg_stat_archiver");
      return last >= segment;
    }, WAIT_MS);
  }
  /** Installs `crosswalk-backup` on a machine, where systemctl starts and stops its Patroni. */
  function prepareBackups(name: string) {
    const machine = databases.machine(name);
    const isActive = "kill -0 $(cat patroni.pid)";
    const {
      variables,
      run: backUp,
      finished,
    } = installBackups(machine, {
      start: "setsid patroni patroni >>restored.log 2>&1 & echo $! >patroni.pid",
      stop: `[ ! -e patroni.pid ] || { kill $(cat patroni.pid); while ${isActive}; do sleep 0.1; done; } 2>/dev/null`,
      isActive,
    });
    const config = path.join(machine.folder, "patroni/1-shared.yaml");
    Object.assign(machine.variables, variables, { CROSSWALK_PATRONI_CONFIG: config });
    return { run: backUp, finished, config };
  }

  test("is backed up by its primary and restored to a moment", async ({ onTestFailed, onTestFinished }) => {
    onTestFailed(() => printLogs(folder));
    await start();
    const old = await primary();
    // Programs may be reading the files of a machine that runs, so starting it again writes none.
    const written = () => fs.statSync(path.join(databases.machine(old).folder, "server.crt")).mtimeMs;
    const before = written();
    databases.start();
    expect(written()).toBe(before);
    await query("CREATE ROLE crosswalk_app LOGIN PASSWORD 'app'");
    await query("CREATE DATABASE crosswalk");
    expect(await connect("crosswalk_app", "sslmode=no-verify")).toBe(true);
    await expect(connect("crosswalk_app", "sslmode=disable")).rejects.toThrow("no encryption");
    await expect(connect("postgres", "sslmode=no-verify")).rejects.toThrow("no pg_hba.conf entry");
    await query("CREATE TABLE kept (name text)");
    await run("pgbackrest", STANZA, "stanza-create");
    await run("pgbackrest", STANZA, "check");

    await databases.switchOver();
    await until(async () => (await databases.isHealthy()) && (await databases.primary()) !== old, WAIT_MS);
    // Only the primary backs up.
    const [onOld, onNew] = [prepareBackups(old), prepareBackups(await primary())];
    await onOld.run("full");
    await onNew.run("full");
    expect([onOld, onNew].map(({ finished }) => fs.existsSync(finished))).toEqual([false, true]);
    // pgBackRest only restores a backup that ended in an earlier second.
    await setTimeout(1_000);

    await query("INSERT INTO kept VALUES ('before')");
    const [{ moment }] = await query("SELECT clock_timestamp()::text AS moment");
    await query("INSERT INTO kept VALUES ('mistake')");
    await archive();

    await expect(onOld.run("restore", moment)).rejects.toThrow(/Patroni still runs on node\d node\d\./);
    await databases.stopMachines();
    const others = databases.names.filter((name) => name !== old);
    for (const name of others) fs.renameSync(databases.dataFolder(name), `${databases.dataFolder(name)}.before`);
    const settingsBefore = fs.readFileSync(onOld.config, "utf8");
    onTestFinished(() =>
      databases
        .machine(old)
        .run("systemctl", "stop", "patroni")
        .then(() => {}),
    );
    await onOld.run("restore", moment);
    expect(fs.readFileSync(onOld.config, "utf8")).toBe(settingsBefore);
    expect(await names()).toEqual(["before"]);

    await until(() => {
      for (const name of others) databases.startMachine(name);
      return databases.isHealthy();
    }, WAIT_MS);
    await query("INSERT INTO kept VALUES ('after')");
    expect(await names()).toEqual(["after", "before"]);
    await onOld.run("full");
    expect(fs.existsSync(onOld.finished)).toBe(true);
    expect(await run("pgbackrest", STANZA, "info")).toContain("status: ok");
  });
});
