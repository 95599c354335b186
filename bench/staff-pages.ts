// node scripts/run.mjs bench/staff-pages.ts [--patients 100000] [--rounds 30] [--here] [--json]
// Measures the requests of the staff pages in a practice of realistic size. They run through their handlers in this process, with session,
// permissions and audit. --here uses the existing database and changes only its audit.
import { parseArgs } from "node:util";
import { closePool, db, pool, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { CROWD_BATCH, seedCrowd } from "@/prisma/seed/crowd";
import { findOrCreatePractice, prepareForCrowd } from "@/prisma/seed/crowd-practice";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";
import { createDatabase } from "./database";
import { median } from "./report";

const DATABASE = "crosswalk_bench_staff";
/** The benchmark prints the query plan of a request whose median is higher. */
const LIMIT_MS = 100;
const WARM_UP = 3;

interface Figures {
  name: string;
  path: string;
  medianMs: number;
  slowestMs: number;
}

interface Statement {
  text: string;
  values: unknown[];
  ms: number;
}

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
  log.level = "warn";
  onEnd(closePool);
  if (!values.here) await step(`Seeding ${patients} patients`, () => prepareDatabase(patients));
  const practice = await largestPractice();
  const user = await signInAs("admin", [practice]);
  onEnd(() => db.run(sql`DELETE FROM staff_user WHERE id = ${user.userId}`));
  const calls = await listCalls(practice);
  const figures: Figures[] = [];
  for (const [name, path] of calls) figures.push(await measure(user, name, path, rounds));
  if (values.json) say(JSON.stringify(figures, null, 2));
  else for (const { name, medianMs, slowestMs } of figures) say(row(name, medianMs, slowestMs));
  const slow = figures.filter(({ medianMs }) => medianMs > LIMIT_MS);
  for (const { name, path } of slow) await explain(user, name, path);
  return slow.length > 0 ? 1 : 0;
});

async function prepareDatabase(patients: number): Promise<void> {
  const { url, ownerUrl } = await createDatabase(DATABASE);
  process.env.DATABASE_URL = url;
  const practice = await prepareForCrowd(await findOrCreatePractice(null));
  for (let done = 0; done < patients; done += CROWD_BATCH) {
    await seedCrowd(practice, Math.min(CROWD_BATCH, patients - done));
  }
  await asAdmin(ownerUrl, (client) => client.query("VACUUM ANALYZE"));
}

async function largestPractice(): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    SELECT practice_id AS id FROM patient WHERE deleted_date IS NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`);
  if (!row) throw new Failure("The database has no patients.");
  return row.id;
}

/** Lists the requests of the pages: the name in the report, and the path below /api/staff/. */
async function listCalls(practice: number): Promise<[name: string, path: string][]> {
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

async function measure(user: SignedIn, name: string, path: string, rounds: number): Promise<Figures> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const start = performance.now();
    const { status, body } = await staffCallAs(user, "GET", path);
    const ms = performance.now() - start;
    if (status !== 200) throw new Failure(`${path}: ${status} ${JSON.stringify(body)}`);
    if (round >= 0) times.push(ms);
  }
  return { name, path, medianMs: median(times), slowestMs: Math.max(...times) };
}

function row(name: string, medianMs: number, slowestMs: number): string {
  const over = medianMs > LIMIT_MS ? `  over ${LIMIT_MS} ms` : "";
  return `${name.padEnd(40)} ${medianMs.toFixed(1).padStart(7)} ms  slowest ${slowestMs.toFixed(1).padStart(7)} ms${over}`;
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
