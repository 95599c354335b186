// A separate PostgreSQL primary with a synchronous standby.
import fs from "node:fs";
import path from "node:path";
import { expect, vi } from "vitest";
import { applyGrants } from "@/scripts/lib/apply-grants.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { RUNTIME_ROLE, startWithRoles } from "@/scripts/lib/roles.mjs";
import { copyDataDir, temporaryDataDir } from "./processes";

const SETTINGS = { fsync: "off", wal_level: "replica", max_wal_senders: 4, max_connections: 100 };

export interface Replica {
  /** With the server's role. */
  url: string;
  ownerUrl: string;
  /** `host:port` */
  place: string;
  /** Ends the server at once, as a crash does. */
  crash: () => void;
}

/** Starts both. `stop` ends them and deletes their data. */
export async function startReplicas(): Promise<{ primary: Replica; standby: Replica; stop: () => Promise<void> }> {
  const folder = path.dirname(temporaryDataDir());
  const [first, second] = [path.join(folder, "primary"), path.join(folder, "standby")];
  const original = await startWithRoles({ directory: first, settings: SETTINGS });
  await deploy(original.ownerUrl);
  await applyGrants(original.ownerUrl, RUNTIME_ROLE);
  await original.release();
  for (const file of ["", ".password", ".app-password"]) copyDataDir(`${first}${file}`, `${second}${file}`);
  const { port, username, password } = new URL(original.ownerUrl);
  fs.writeFileSync(path.join(second, "standby.signal"), "");
  fs.appendFileSync(
    path.join(second, "postgresql.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`,
  );
  const primary = await startWithRoles({ directory: first });
  const standby = await startWithRoles({ directory: second });
  const stop = async () => {
    for (const { release } of [primary, standby]) await release();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  await requireStandby(primary.ownerUrl).catch((error) => stop().then(() => Promise.reject(error)));
  return { primary: describeReplica(primary, first), standby: describeReplica(standby, second), stop };
}

/** Makes commits wait for the standby. */
async function requireStandby(ownerUrl: string): Promise<void> {
  await asAdmin(ownerUrl, async (client) => {
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query("SELECT pg_reload_conf()");
    await vi.waitFor(
      async () => {
        const { rows } = await client.query("SELECT sync_state FROM pg_stat_replication");
        expect(rows).toEqual([{ sync_state: "sync" }]);
      },
      { timeout: 20_000 },
    );
  });
}

function describeReplica({ url, ownerUrl }: { url: string; ownerUrl: string }, directory: string): Replica {
  const crash = () => {
    const [pid] = fs.readFileSync(path.join(directory, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGQUIT");
  };
  return { url, ownerUrl, place: new URL(url).host, crash };
}
