// Faults of the database and its machines.
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { findServer } from "@/lib/platform/db/client.mjs";
import { parseDatabaseUrl } from "@/lib/platform/db/database-url.mjs";
import { isAlive } from "@/scripts/lib/lock.mjs";
import { untilPartlyConverted } from "./programs";
import { until } from "./until";
import type { Fault, FaultContext } from "./world";

/** Longer than Patroni's `ttl`, after which a standby takes over. */
const TAKEOVER_MS = 60_000;
/** Much longer than a connection takes. */
const REACH_MS = 10_000;
/** Each client makes four writes in a round. */
const ROUND = 4;

async function findPrimary({ cluster }: Pick<FaultContext, "cluster">): Promise<string> {
  const name = await cluster.databases.primary();
  if (!name) throw new Error("there is no primary");
  return name;
}

export const killPrimary: Fault = {
  async inject(context) {
    context.cluster.databases.killPostgres(await findPrimary(context));
  },
};

/** On request, as before the maintenance of a machine. */
export const switchOver: Fault = {
  inject: ({ cluster }) => cluster.databases.switchOver(),
};

/** Its PostgreSQL keeps running, and Patroni must take it over again. */
export const killPatroni: Fault = {
  async inject(context) {
    context.cluster.databases.killPatroni(await findPrimary(context));
  },
};

export const killPrimaryWhileConverting: Fault = {
  converted: 2_000,
  async inject(context) {
    await untilPartlyConverted(context);
    await killPrimary.inject(context);
  },
};

/** The primary's machine fails until clients can write again without it. */
const failMachine = (
  fail: (context: FaultContext, name: string) => void | Promise<void>,
  repair: (context: FaultContext, name: string) => void,
): Fault => ({
  async inject(context) {
    const name = await findPrimary(context);
    try {
      await fail(context, name);
      await until(async () => {
        const other = await context.cluster.databases.primary();
        return other !== null && other !== name;
      }, TAKEOVER_MS);
      await context.untilWritten(ROUND);
    } finally {
      repair(context, name);
    }
  },
});

export const loseMachine = failMachine(
  ({ cluster }, name) => cluster.databases.loseMachine(name),
  ({ cluster }, name) => cluster.databases.startMachine(name),
);
export const hangMachine = failMachine(
  ({ cluster }, name) => cluster.databases.signalMachine(name, "SIGSTOP"),
  ({ cluster }, name) => cluster.databases.signalMachine(name, "SIGCONT"),
);
const cut = ({ networks, cluster }: FaultContext, name: string, isCut: boolean) =>
  networks?.cut(cluster.databases.names.indexOf(name), isCut);
export const cutOffPrimary: Fault = {
  ...failMachine(
    (context, name) => cut(context, name, true),
    (context, name) => cut(context, name, false),
  ),
  needs: "networks",
};

const isolate = ({ networks, cluster }: FaultContext, name: string, isIsolated: boolean) =>
  networks?.isolate(cluster.databases.names.indexOf(name), isIsolated);
/** The servers still reach the old primary, and must not use it any more once a standby has replaced it. */
export const isolatePrimary: Fault = {
  ...failMachine(
    async (context, name) => {
      isolate(context, name, true);
      await requireReachable(context, name);
    },
    (context, name) => isolate(context, name, false),
  ),
  needs: "networks",
};

/** Requires that this machine, on which the servers run, can connect to another one. */
async function requireReachable({ cluster: { databases } }: FaultContext, name: string): Promise<void> {
  const connectionString = parseDatabaseUrl(databases.url()).urls[databases.names.indexOf(name)];
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: REACH_MS });
  client.on("error", () => {});
  await client.connect();
  await client.end();
}

/** Long enough for the others to elect a leader, and for Patroni's `ttl` to expire. */
const HANG_MS = 25_000;

/** Patroni's locks must survive the loss of the leader that tracks when they expire. */
export const hangEtcd: Fault = {
  async inject({ cluster, untilWritten }) {
    const { etcd } = cluster.databases;
    const name = await etcd.leader();
    if (!name) throw new Error("etcd has no leader");
    etcd.signal(name, "SIGSTOP");
    try {
      await setTimeout(HANG_MS);
      await untilWritten(ROUND);
    } finally {
      etcd.signal(name, "SIGCONT");
    }
  },
};

/** PostgreSQL stops when it can't create a file for its log (WAL), and a standby takes over. Otherwise the disk stays full for this long. */
const FULL_MS = 20_000;
const SWITCH_MS = 200;

export const fillDisk: Fault = {
  needs: "disks",
  async inject(context) {
    const { databases } = context.cluster;
    const name = await findPrimary(context);
    const pid = databases.postgresPid(name);
    const disk = context.disks.get(name);
    const admin = await connect(databases.url());
    disk?.fill();
    const failed = context.untilFailures(ROUND);
    try {
      for (const end = performance.now() + FULL_MS; pid && isAlive(pid) && performance.now() < end; ) {
        // Files of the log that were made in advance have room for more writes.
        await admin.query("SELECT pg_switch_wal()").catch(() => {});
        await setTimeout(SWITCH_MS);
      }
      await failed;
    } finally {
      disk?.free();
      await admin.end().catch(() => {});
    }
  },
};

/** Connects to the primary. */
async function connect(url: string): Promise<pg.Client> {
  const { host, port } = await findServer(url);
  const [connectionString] = parseDatabaseUrl(url).urls.filter((one) => new URL(one).host === `${host}:${port}`);
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Runs statements with the rights of the owner, on the primary. */
export async function asOwner<T>(
  { cluster }: Pick<FaultContext, "cluster">,
  work: (owner: pg.Client) => Promise<T>,
): Promise<T> {
  const owner = await connect(cluster.databases.url("crosswalk"));
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

/** Servers and workers lose their connections and get no others, as if other programs had taken all that PostgreSQL allows (SQLSTATE 53300). */
export const exhaustConnections: Fault = {
  async inject({ cluster, untilFailures }) {
    const admin = await connect(cluster.databases.url("crosswalk"));
    try {
      await admin.query("ALTER ROLE crosswalk_app CONNECTION LIMIT 0");
      await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'crosswalk_app'");
      await untilFailures(ROUND);
    } finally {
      await admin.query("ALTER ROLE crosswalk_app CONNECTION LIMIT -1");
      await admin.end();
    }
  },
};

/** More requests than both servers have connections. */
const READERS = 60;

export const blockPools: Fault = {
  async inject({ cluster, token, writers, untilFailures }) {
    const admin = await connect(cluster.databases.url("crosswalk"));
    try {
      await admin.query("BEGIN");
      await admin.query("LOCK TABLE patient IN ACCESS EXCLUSIVE MODE");
      const url = `${cluster.url}/api/2.0/patients/${writers[0]?.patient}`;
      const reads = Array.from({ length: READERS }, () =>
        fetch(url, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status),
      );
      await untilFailures(ROUND);
      await admin.query("ROLLBACK");
      const statuses = new Set(await Promise.all(reads));
      for (const status of statuses) if (status !== 200 && status !== 503) throw new Error(`a read returned ${status}`);
    } finally {
      await admin.end();
    }
  },
};
