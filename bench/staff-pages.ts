// node scripts/run.mjs bench/staff-pages.ts [--patients 100000] [--rounds 30] [--here] [--json]
// Measures the staff pages in a practice of realistic size, as the production server sends them, and their calls, which run through their
// handlers in this process. Both include session, permissions and audit. --here uses the existing database and changes only its audit.
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { mintAccess } from "@/lib/access/identity/access";
import { archivePolicy } from "@/lib/insurance/commands/archive-policy";
import { startOwnRun } from "@/lib/migration/read/legacy-scan";
import { workRun } from "@/lib/migration/work/run-worker";
import { closePool, pool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { CROWD_BATCH, CROWD_ORIGIN, seedCrowd } from "@/prisma/seed/crowd";
import { findOrCreatePractice, prepareForCrowd } from "@/prisma/seed/crowd-practice";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";
import { createDatabase } from "./database";
import { median, table } from "./report";
import { startServer } from "./servers";

const DATABASE = "crosswalk_bench_staff";
/** The benchmark fails if a median is higher, and prints the slowest query's plan if it is a call. */
const LIMIT_MS = 50;
/** During the first requests for a page, V8 still compiles its code. */
const WARM_UP = 30;

const connection = new Agent({ keepAlive: true, maxSockets: 1 });

/** The requests of one page: `/practices/…`, or a call: `practices/…` below `/api/staff/`. */
type Requests = [name: string, path: string][];

interface Figures {
  name: string;
  path: string;
  p50: number;
  p95: number;
  max: number;
}

interface Statement {
  text: string;
  values: unknown[];
  ms: number;
}

/** One client sends all requests, as fast as it can. Calls run in this process, which therefore needs the server's settings. */
const SETTINGS = {
  STAFF_RATE_LIMIT_PER_SECOND: "100000",
  ADDRESS_RATE_LIMIT_PER_SECOND: "100000",
  LOG_LEVEL: "warn",
  STREAM_CONSUMER: "worker",
};

await main(async () => {
  const { values } = parseArgs({
    options: {
      patients: { type: "string", default: "100000" },
      rounds: { type: "string", default: "30" },
      here: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const [patients, rounds] = [Number(values.patients), Number(values.rounds)];
  if (!(patients >= 1 && rounds >= 1)) throw new Failure("--patients and --rounds must be at least 1");
  Object.assign(process.env, SETTINGS);
  if (!values.here) await step(`Seeding ${patients} patients`, () => prepareDatabase(patients));
  onEnd(closePool);
  const practice = await largestPractice();
  const user = await signInAs("admin", [practice]);
  onEnd(() => db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${user.userId}`));
  const figures: Figures[] = [];
  for (const [name, path] of await listCalls(practice)) {
    figures.push(await measure(name, path, rounds, () => staffCallAs(user, "GET", path)));
  }
  const slowCalls = figures.filter(isSlow);
  await build();
  const server = await startServer("crosswalk", {});
  for (const [name, path] of await listPages(practice)) {
    figures.push(await measure(`page: ${name}`, path, rounds, () => loadPage(server.url + path, user.cookie)));
  }
  if (values.json) say(JSON.stringify(figures, null, 2));
  else say(format(figures));
  for (const { name, path } of slowCalls) await explain(user, name, path);
  return figures.some(isSlow) ? 1 : 0;
});

/** Loads a page as the server sends it. Decompressing it is the work of a browser. */
async function loadPage(url: string, cookie: string): Promise<{ status: number; body: unknown }> {
  const headers = { cookie, "accept-encoding": "gzip, deflate, br" };
  const [response] = (await once(get(url, { agent: connection, headers }), "response")) as [IncomingMessage];
  await buffer(response);
  return { status: response.statusCode ?? 0, body: response.headers.location };
}

async function prepareDatabase(patients: number): Promise<void> {
  const { url, ownerUrl } = await createDatabase(DATABASE);
  process.env.DATABASE_URL = url;
  const practice = await prepareForCrowd(await findOrCreatePractice(null));
  for (let done = 0; done < patients; done += CROWD_BATCH) {
    await seedCrowd(practice, Math.min(CROWD_BATCH, patients - done));
  }
  await archiveOne(practice.id);
  await step("Checking the practice's legacy records", () => checkOwnRecords(practice.id));
  await asAdmin(ownerUrl, (client) => client.query("VACUUM ANALYZE"));
}

/** Archives a policy, so that there is a replication event. */
async function archiveOne(practice: number): Promise<void> {
  const access = mintAccess({ practices: [practice], actor: CROWD_ORIGIN.actor });
  const policy = await db.one<{ id: number; patient: number }>(sql`
    SELECT id, patient_id AS patient FROM policy WHERE practice_id = ${practice} AND status = 'active' ORDER BY id LIMIT 1`);
  await archivePolicy({ access, origin: CROWD_ORIGIN, patientId: policy.patient }, policy.id, null);
}

/** Creates a checked migration run with a record for each patient. */
async function checkOwnRecords(practice: number): Promise<void> {
  const access = mintAccess({ practices: [practice], actor: CROWD_ORIGIN.actor });
  const { id } = await startOwnRun({ access, origin: CROWD_ORIGIN }, practice);
  await workRun(id);
}

async function largestPractice(): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    SELECT practice_id AS id FROM patient WHERE deleted_date IS NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`);
  if (!row) throw new Failure("The database has no patients.");
  return row.id;
}

/** Lists the requests of the pages: the name in the report, and the path below /api/staff/. */
async function listCalls(practice: number): Promise<Requests> {
  const base = `practices/${practice}`;
  const search = (words: string, more = "") => `${base}/patients?search=${encodeURIComponent(words)}${more}`;
  const patient = await db.first<{ last: string; first: string; dob: string; member: string }>(sql`
    SELECT p.last_name AS last, p.first_name AS first, p.dob, i.member_id AS member
    FROM patient p JOIN patient_insurance i ON i.patient_id = p.id AND i.deleted_date IS NULL
    WHERE p.practice_id = ${practice} AND i.member_id IS NOT NULL ORDER BY p.id DESC LIMIT 1`);
  const policy = await db.first<{ id: number; patient: number; version: number }>(sql`
    SELECT id, patient_id AS patient, version FROM policy WHERE practice_id = ${practice} ORDER BY version DESC LIMIT 1`);
  if (!patient || !policy) throw new Failure("The practice has no insured patients.");
  const history = `${base}/patients/${policy.patient}/policies/${policy.id}/versions`;
  return [
    ["patients, all", search("")],
    ["patients, all, by date of birth", search("", "&order=dob")],
    ["patients, all, last changed first", search("", "&order=-last_modified")],
    ["patients, all, page 100", search("", "&offset=4950")],
    ["patients, first letter", search(patient.last.slice(0, 1))],
    ["patients, beginning of a name", search(patient.last.slice(0, 3))],
    ["patients, whole name", search(`${patient.last}, ${patient.first}`)],
    ["patients, date of birth", search(patient.dob)],
    ["patients, beginning of a member ID", search(patient.member.slice(0, 6))],
    ["patients, member ID", search(patient.member)],
    ["patients, name and member ID", search(`${patient.last} ${patient.member.slice(0, 3)}1`)],
    ["patients, no match", search("qqq")],
    ["events, newest", `${base}/events`],
    ["events, failed", `${base}/events?status=failed`],
    ["events, pending", `${base}/events?status=pending`],
    ["events, of one target", `${base}/events?target=seeded`],
    [`history, ${policy.version} versions, newest`, history],
    [`history, ${policy.version} versions, all`, `${history}?limit=100`],
    ["history, one version", `${history}/${Math.ceil(policy.version / 2)}`],
    ["home", `${base}/home`],
    ["home, every practice", "home"],
  ];
}

/** Lists the pages with their paths. Pages of a record show the one with the most versions, or the newest. */
async function listPages(practice: number): Promise<Requests> {
  const found = await db.first<{
    patient: number;
    policy: number;
    run: number | null;
    event: string | null;
    sync: number | null;
  }>(sql`
    SELECT patient_id AS patient, id AS policy,
      (SELECT max(id) FROM migration_run WHERE practice_id = ${practice}) AS run,
      (SELECT event_id FROM published_event WHERE practice_id = ${practice} ORDER BY id DESC LIMIT 1) AS event,
      (SELECT max(id) FROM replication_event WHERE practice_id = ${practice}) AS sync
    FROM policy WHERE practice_id = ${practice} ORDER BY version DESC LIMIT 1`);
  if (!found) throw new Failure("The practice has no policies.");
  const base = `/practices/${practice}`;
  const patient = `${base}/patients/${found.patient}`;
  const policy = `${patient}/policies/${found.policy}`;
  const run = `${base}/migration/${found.run}`;
  return [
    ["home", base],
    ["patients", `${base}/patients`],
    ["patient", patient],
    ["policy", policy],
    ["policy, history", `${policy}/history`],
    ["policy, edit", `${policy}/edit`],
    ["policy, new", `${patient}/policies/new`],
    ["events", `${base}/events`],
    ...(found.event ? [["event", `${base}/events/${found.event}`] as const] : []),
    ["subscriptions", `${base}/events/subscriptions`],
    ["sync", `${base}/stream`],
    ...(found.sync ? [["sync event", `${base}/stream/${found.sync}`] as const] : []),
    ["migration", `${base}/migration`],
    ["migration, new", `${base}/migration/new`],
    ["migration, what if", `${base}/migration/what-if`],
    ["migration, readiness", `${base}/migration/readiness`],
    ...(found.run
      ? [
          ["migration run", run] as const,
          ["migration run, findings", `${run}/findings`] as const,
          ["migration run, records", `${run}/records`] as const,
          ["migration run, record", `${run}/records/2`] as const,
        ]
      : []),
    ["settings", `${base}/settings`],
    ["members", `${base}/settings/members`],
    ["clients", `${base}/settings/clients`],
    ["audit", `${base}/settings/audit`],
  ].map(([name = "", path = ""]) => [name, path]);
}

async function measure(
  name: string,
  path: string,
  rounds: number,
  send: () => Promise<{ status: number; body: unknown }>,
): Promise<Figures> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const start = performance.now();
    const { status, body } = await send();
    const ms = performance.now() - start;
    if (status !== 200) throw new Failure(`${path}: ${status} ${JSON.stringify(body)}`);
    if (round >= 0) times.push(ms);
  }
  const sorted = [...times].sort((one, other) => one - other);
  return {
    name,
    path,
    p50: median(times),
    p95: sorted[Math.ceil(times.length * 0.95) - 1] ?? 0,
    max: Math.max(...times),
  };
}

function isSlow({ p50 }: Figures): boolean {
  return p50 >= LIMIT_MS;
}

function format(figures: readonly Figures[]): string {
  const rows = figures.map((one) => [
    one.name,
    ...[one.p50, one.p95, one.max].map((ms) => ms.toFixed(1)),
    isSlow(one) ? `MISSED (${LIMIT_MS} ms)` : "",
  ]);
  return table(["request", "p50 ms", "p95 ms", "max ms", "goal"], rows);
}

/** Prints the plan of the slowest statement of a request. */
async function explain(user: SignedIn, name: string, path: string): Promise<void> {
  const statements: Statement[] = [];
  const recordingPool = pool();
  const query = recordingPool.query.bind(recordingPool) as (statement: Statement) => Promise<unknown>;
  Object.assign(recordingPool, {
    query: async (statement: Statement) => {
      const start = performance.now();
      const result = await query(statement);
      statements.push({ text: statement.text, values: statement.values, ms: performance.now() - start });
      return result;
    },
  });
  await staffCallAs(user, "GET", path);
  Object.assign(recordingPool, { query });
  const slowest = statements.sort((one, other) => other.ms - one.ms)[0];
  if (!slowest) return;
  const { rows } = await recordingPool.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (ANALYZE, BUFFERS) ${slowest.text}`,
    slowest.values,
  );
  say(`\n${name}: ${slowest.text.trim()}\n${rows.map((line) => line["QUERY PLAN"]).join("\n")}`);
}
