process.env.SECRET_KEY = "x".repeat(40); process.env.LOG_LEVEL="warn"; process.env.WEBHOOK_ALLOW_PRIVATE="true";
import fs from "node:fs";
const pw = fs.readFileSync("/work/main/.data/test-postgres.password","utf8").trim();
const port = fs.readFileSync("/work/main/.data/test-postgres.port","utf8").trim();
const server = `postgresql://crosswalk:${pw}@127.0.0.1:${port}/crosswalk`;
const { databaseUrl } = await import("@/tests/support/databases");
const { recreateDatabase } = await import("@/scripts/lib/postgres.mjs");
const { startPostgres } = await import("@/scripts/lib/postgres.mjs");
const { testCluster } = await import("@/tests/support/cluster.mjs");
const pgc = await startPostgres(testCluster);
const { deploy } = await import("@/scripts/lib/migrations.mjs");
const url = databaseUrl(pgc.url, "crosswalk_plan_scratch");
process.env.DATABASE_URL = url;
await recreateDatabase(url); await deploy(url);
const { db, sql } = await import("@/lib/db/sql");
const { seedBasics } = await import("@/tests/support/api");
const { newClient, subscribe, seedPatients } = await import("@/tests/support/webhook-clients");
const { claimEvents } = await import("@/lib/events/commands/claim-events");
const { closePool } = await import("@/lib/db/pool");
const mode = process.argv[2] ?? "backlog";
const b = await seedBasics();
const c = await newClient(b);
const same = mode === "same-origin";
const subs = [];
for (let i = 0; i < 20; i++) subs.push(await subscribe(c, `http://127.0.0.1:${same ? 9000 : 9000 + i}/hook${i}`));
async function insert(sub: number, n: number, records: number, ageMs: number, client = c.id) {
  const now = new Date(Date.now() - ageMs).toISOString();
  await db.run(sql`INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
      target, delivery, next_attempt_date, give_up_date, created_date, modified_date)
   SELECT gen_random_uuid(), s.id, s.client_id, ${b.enabled}, 'saved','patients', 1000000 + n % ${records}, s.target, 'pending', ${now}::timestamptz, now() + interval '72 hours', ${now}::timestamptz, ${now}::timestamptz
   FROM subscription s, generate_series(1, ${n}::int) n WHERE s.id = ${sub}`);
}
const ids = subs.map((s) => s.id);
if (mode === "backlog") for (const s of ids) await insert(s, 500, 100, 60000);
if (mode === "bulk") for (const s of ids) await insert(s, 500, 1, 60000);
if (mode === "failing" || same) { await insert(ids[0]!, 100000, 30000, 3600000); for (const s of ids.slice(1)) await insert(s, 500, 100, 1000); }
if (mode === "failing-few") { await insert(ids[0]!, 100000, 10, 3600000); for (const s of ids.slice(1)) await insert(s, 500, 100, 1000); }
const times: number[] = [];
for (let r = 0; r < 6; r++) {
  const t = performance.now();
  const got = await claimEvents(32);
  times.push(Math.round((performance.now() - t)*10)/10);
  const per: Record<string, number> = {};
  for (const g of got) per[g.subscription_id] = (per[g.subscription_id] ?? 0) + 1;
  if (r < 2) console.log(got.length, JSON.stringify(per));
  if (r % 1 === 0) await db.run(sql`UPDATE published_event SET delivery='delivered', lease_until=NULL WHERE delivery='sending'`);
}
console.log(mode, "claim ms (no analyze)", times);
await db.run(sql`ANALYZE`);
const times2: number[] = [];
for (let r = 0; r < 6; r++) {
  const t = performance.now();
  const got = await claimEvents(32);
  times2.push(Math.round((performance.now() - t)*10)/10);
  await db.run(sql`UPDATE published_event SET delivery='delivered', lease_until=NULL WHERE delivery='sending'`);
}
console.log(mode, "claim ms (analyzed)", times2);
if (process.argv[3]) {
  await closePool();
  const { pool } = await import("@/lib/db/pool");
  const out: string[] = [];
  pool().on("connect", (cl) => { cl.on("notice", (n) => out.push(n.message ?? "")); void cl.query("LOAD 'auto_explain'; SET auto_explain.log_min_duration=0; SET auto_explain.log_analyze=on; SET client_min_messages=log; SET auto_explain.log_buffers=on"); });
  await db.run(sql`SELECT 1`);
  out.length = 0;
  await claimEvents(32);
  console.log(out.filter((o) => o.includes("WITH busy")).join("\n---\n").slice(0, 14000));
}
if (false) {
  const pg = (await import("pg")).default;
  const cl = new pg.Client({ connectionString: url }); await cl.connect();
  const src = fs.readFileSync("lib/events/commands/claim-events.ts","utf8");
}
await closePool();
await pgc.release();
process.exit(0);
