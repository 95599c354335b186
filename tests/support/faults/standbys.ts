// Standbys that serve reads, and faults of the synchronous one.
import pg from "pg";
import { parseDatabaseUrl } from "@/lib/platform/db/database-url.mjs";
import { asOwner } from "./databases";
import { until } from "./until";
import type { Fault, FaultContext, World } from "./world";

const REPLAY_MS = 60_000;
const SERVE_MS = 60_000;
/** Longer than Patroni's `ttl`, after which it no longer expects a response from the standby. */
const REPLACE_MS = 60_000;
/** Each client makes four writes in a round. */
const ROUND = 4;

const TIMELINE = "SELECT left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS timeline";
const STANDBY = `
  SELECT pg_is_in_recovery() AS is_standby, lpad(upper(to_hex(min_recovery_end_timeline)), 8, '0') AS timeline
  FROM pg_control_recovery()`;

/**
 * Makes standbys usable for reads after a takeover. Servers read from a standby once its control file has the new timeline, and only a
 * checkpoint writes it there: up to five minutes later.
 *
 * @returns whether there was a takeover since the last call
 */
export async function renewStandbys(world: Pick<World, "cluster">): Promise<boolean> {
  const { urls } = parseDatabaseUrl(world.cluster.databases.url());
  const clients = urls.map((connectionString) => new pg.Client({ connectionString }));
  for (const client of clients) client.on("error", () => {});
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const states = await Promise.all(
      clients.map(async (client) => ({ client, ...(await client.query(STANDBY)).rows[0] })),
    );
    return await asOwner(world, async (primary) => {
      const { timeline } = (await primary.query(TIMELINE)).rows[0];
      const old = states.filter((state) => state.is_standby && state.timeline !== timeline);
      if (old.length === 0) return false;
      await primary.query("CHECKPOINT");
      const { lsn } = (await primary.query("SELECT pg_current_wal_flush_lsn()::text AS lsn")).rows[0];
      for (const { client } of old) {
        const hasReplayed = async () =>
          (await client.query("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_done", [lsn])).rows[0].is_done;
        await until(hasReplayed, REPLAY_MS, "a standby has not replayed the log");
        await client.query("CHECKPOINT");
      }
      return true;
    });
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

/**
 * Waits until standbys have served more reads of the clients. Without them, nothing shows that reads from a standby see the acknowledged writes.
 *
 * @throws Error that says where the reads went, after `limitMs`
 */
export async function untilStandbysServe(
  { standbyReads }: { standbyReads: Pick<World["standbyReads"], "count" | "describe"> },
  isOver: () => boolean,
  limitMs = SERVE_MS,
): Promise<void> {
  const before = await standbyReads.count();
  const haveServed = async () => isOver() || (await standbyReads.count()) > before;
  await until(haveServed, limitMs).catch(async (cause: unknown) => {
    const reads = await standbyReads.describe();
    throw new Error(`no standby served a read within ${limitMs / 1_000} s (${reads})`, { cause });
  });
}

async function findSynchronous({ cluster }: Pick<FaultContext, "cluster">) {
  const members = await cluster.databases.status();
  return { isKnown: members.length > 0, name: members.find(({ role }) => role === "sync_standby")?.name };
}

async function requireSynchronous(context: FaultContext): Promise<string> {
  const { name } = await findSynchronous(context);
  if (!name) throw new Error("there is no synchronous standby");
  return name;
}

/** Writes wait until it runs again, or until Patroni has replaced it. */
export const killStandby: Fault = {
  async inject(context) {
    context.cluster.databases.killPostgres(await requireSynchronous(context));
  },
};

/** Writes wait until Patroni has made the other standby synchronous, or none. */
export const hangStandby: Fault = {
  async inject(context) {
    const { databases } = context.cluster;
    const standby = await requireSynchronous(context);
    databases.signalMachine(standby, "SIGSTOP");
    try {
      await until(
        async () => {
          const { isKnown, name } = await findSynchronous(context);
          return isKnown && name !== standby;
        },
        REPLACE_MS,
        "the standby is still synchronous",
      );
      await context.untilWritten(ROUND);
    } finally {
      databases.signalMachine(standby, "SIGCONT");
    }
  },
};
