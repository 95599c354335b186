// A separate PostgreSQL primary with a standby.
import fs from "node:fs";
import path from "node:path";
import { expect, vi } from "vitest";
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
  /** Ends the server once its standby has all of its log. */
  shutDown: () => Promise<void>;
  /** Starts a server again that was ended, as a standby of another server or of none. Its URLs can change. */
  restartAsStandby: (of?: Replica) => Promise<Replica>;
}

/** Starts both. `stop` ends them and deletes their data. Commits wait for a synchronous standby. */
export async function startReplicas({ synchronous = true } = {}): Promise<{
  primary: Replica;
  standby: Replica;
  stop: () => Promise<void>;
}> {
  const folder = path.dirname(temporaryDataDir());
  const [first, second] = [path.join(folder, "primary"), path.join(folder, "standby")];
  const original = await startWithRoles({ directory: first, settings: SETTINGS });
  await deploy(original.ownerUrl, undefined, RUNTIME_ROLE);
  await original.release();
  for (const file of ["", ".password", ".app-password"]) copyDataDir(`${first}${file}`, `${second}${file}`);
  const releases: (() => Promise<void>)[] = [];
  const start = async (directory: string): Promise<Replica> => {
    const { url, ownerUrl, release } = await startWithRoles({ directory });
    releases.push(release);
    const restartAsStandby = (of?: Replica) => {
      follow(directory, of?.ownerUrl);
      return start(directory);
    };
    const end = (signal: NodeJS.Signals) => process.kill(postmasterOf(directory), signal);
    const shutDown = async () => {
      end("SIGINT");
      await vi.waitUntil(() => !fs.existsSync(pidFileOf(directory)), { timeout: 30_000 });
    };
    return { url, ownerUrl, place: new URL(url).host, crash: () => end("SIGQUIT"), shutDown, restartAsStandby };
  };
  const stop = async () => {
    for (const release of releases) await release();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  follow(second, original.ownerUrl);
  const primary = await start(first);
  const standby = await start(second);
  if (synchronous) await requireStandby(primary.ownerUrl).catch((error) => stop().then(() => Promise.reject(error)));
  return { primary, standby, stop };
}

/** Makes the server of a data folder a standby when it starts. */
function follow(directory: string, ownerUrl: string | undefined): void {
  fs.writeFileSync(path.join(directory, "standby.signal"), "");
  if (!ownerUrl) return;
  const { port, username, password } = new URL(ownerUrl);
  const connection = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  fs.appendFileSync(path.join(directory, "postgresql.conf"), `primary_conninfo = '${connection}'\n`);
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

const pidFileOf = (directory: string) => path.join(directory, "postmaster.pid");
const postmasterOf = (directory: string) => Number(fs.readFileSync(pidFileOf(directory), "utf8").split("\n")[0]);
