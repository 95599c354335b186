// node scripts/run.mjs bench/resource-lists.ts [--rows 1000000] [--plans]: measures the database queries for the first, a middle and the
// last page of lists with a million records, and for their counts.
import { parseArgs } from "node:util";
import { mintAccess } from "@/lib/access/identity/access";
import type { Cursor } from "@/lib/platform/db/page";
import { db, type Sql, sql } from "@/lib/platform/db/sql";
import { problems } from "@/lib/records/catalog/patient-profile/problems";
import { countStatement, pageStatement } from "@/lib/records/engine/list-queries";
import { main } from "@/scripts/lib/lifetime.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { createDatabase } from "./database";

const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" }, plans: { type: "boolean" } } });
const ROWS = Number(values.rows);
const PATIENTS = 10_000;
const LIMIT = 100;
const GOAL_MS = 20;
const DATABASE = "crosswalk_bench_resources";

interface Client {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

interface Case {
  name: string;
  filters: Record<string, unknown>;
  order: string;
  /** The same filters as SQL, for records with the alias r. */
  where: Sql;
}

const CASES: Case[] = [
  { name: "all", filters: {}, order: "id", where: sql`TRUE` },
  { name: "all, newest first", filters: {}, order: "-id", where: sql`TRUE` },
  { name: "all, by created_date", filters: {}, order: "created_date", where: sql`TRUE` },
  {
    name: "status=Active (60%)",
    filters: { status: ["Active"] },
    order: "id",
    where: sql`r.data->>'status' = 'Active'`,
  },
  {
    name: "status=Resolved (0.1%)",
    filters: { status: ["Resolved"] },
    order: "id",
    where: sql`r.data->>'status' = 'Resolved'`,
  },
  {
    name: "created_date__gte, the last 1%",
    filters: { created_date__gte: "2025-12-28" },
    order: "id",
    where: sql`r.created_date >= '2025-12-28'`,
  },
  { name: "one patient", filters: { patient: [77] }, order: "id", where: sql`r.patient_id = 77` },
  {
    name: "one patient, by created_date",
    filters: { patient: [77] },
    order: "created_date",
    where: sql`r.patient_id = 77`,
  },
];

/** Returns the statements that seed the database. Practice 1 has nine tenths of the records, evenly divided among its patients. */
function seedStatements(): Sql[] {
  return [
    sql`INSERT INTO organization (id, name) VALUES (1, 'Bench')`,
    sql`INSERT INTO practice (id, organization_id, name, insurance_versioning_enabled)
    VALUES (1, 1, 'First', TRUE), (2, 1, 'Second', TRUE)`,
    sql`INSERT INTO physician (id, practice_id, first_name, last_name, email, npi, license, license_state)
    SELECT id, id, 'Ada', 'Reyes', 'ada@example.org', '1', '2', 'MA' FROM practice`,
    sql`
    INSERT INTO patient (id, practice_id, primary_physician_id, first_name, last_name, dob, sex, details, phones, created_date,
      last_modified)
    SELECT n, p, p, 'Maria', 'Lopez', '1980-05-17', 'Female', '{}', '[]', '2020-01-01', '2020-01-01'
    FROM generate_series(1, ${PATIENTS}::int) AS n, LATERAL (SELECT CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END AS p) AS practices`,
    sql`
    INSERT INTO resource_record (id, resource, practice_id, patient_id, data, created_date, modified_date)
    SELECT n, 'problems', p.practice_id, p.id, jsonb_build_object('status', CASE WHEN n % 2000 = 7 THEN 'Resolved'
      WHEN n % 10 < 7 THEN 'Active' ELSE 'Controlled' END, 'description', 'Essential hypertension', 'dx', '[]'::jsonb,
      'start_date', '2020-01-01', 'synopsis', ''), t, t
    FROM generate_series(1, ${2 * ROWS}::int, 2) AS n JOIN patient p ON p.id = 1 + (n / 2) % ${PATIENTS}::int,
      LATERAL (SELECT date_trunc('milliseconds', timestamptz '2022-01-01' + n * interval '4 years' / ${2 * ROWS}::int) AS t) AS times`,
    // Adds as many records of another resource in between.
    sql`
    INSERT INTO resource_record (id, resource, practice_id, patient_id, data, created_date, modified_date)
    SELECT id + 1, 'allergies', practice_id, patient_id, data, created_date, modified_date FROM resource_record`,
    sql`
    INSERT INTO resource_key (resource, field, practice_id, value, record_id)
    SELECT 'problems', 'status', practice_id, lower(data->>'status'), id FROM resource_record WHERE resource = 'problems'
    UNION ALL SELECT 'problems', 'created_date', practice_id,
      lower(to_char(created_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), id FROM resource_record WHERE resource = 'problems'`,
  ];
}

/** Returns the cursor of a page that begins after this share of the list, or undefined for the first page. */
async function findCursor(
  { where, order }: Case,
  practices: readonly number[],
  share: number,
): Promise<Cursor | undefined> {
  if (share === 0) return undefined;
  const matching = sql`FROM resource_record r WHERE r.resource = 'problems' AND r.practice_id = ANY(${[...practices]}::bigint[]) AND ${where}`;
  const { count } = (await db.first<{ count: number }>(sql`SELECT count(*) AS count ${matching}`)) as { count: number };
  const skipped = Math.max(0, Math.min(Math.floor(count * share), count - LIMIT) - 1);
  const isDescending = order.startsWith("-");
  const row = await db.first<{ id: number; value: string }>(sql`
    SELECT r.id, lower(to_char(r.created_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS value ${matching}
    ORDER BY r.id ${isDescending ? sql`DESC` : sql`ASC`} OFFSET ${skipped} LIMIT 1`);
  return row
    ? { direction: "after", order, value: /created_date/.test(order) ? row.value : "", id: row.id }
    : undefined;
}

interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  "Actual Rows": number;
  Plans?: Plan[];
}

/** Lists the indexes that a plan uses. `SEQ SCAN` means that it reads a whole table. */
function listIndexes(plan: Plan): string[] {
  const own = plan["Index Name"] ?? (plan["Node Type"] === "Seq Scan" ? "SEQ SCAN" : []);
  return [...new Set([own, ...(plan.Plans ?? []).map(listIndexes)].flat(2))];
}

const accessTo = (practices: readonly number[]) =>
  mintAccess({ practices, actor: { type: "system" as const, id: null, name: "Bench" } });

async function measurePage(one: Case, practices: readonly number[], share: number) {
  const cursor = await findCursor(one, practices, share);
  const page = { limit: LIMIT, order: one.order, cursor };
  const statement = await pageStatement(accessTo(practices), problems, one.filters, page);
  return measure(statement, { showsPlan: Boolean(values.plans) && share > 0.4 });
}

/** Measures the count of all records, which the first page of a longer list has. */
function measureCount(one: Case, practices: readonly number[]) {
  const statement = countStatement(accessTo(practices), problems, one.filters);
  return measure(statement, { showsPlan: Boolean(values.plans) });
}

async function measure(statement: Sql, { showsPlan }: { showsPlan: boolean }) {
  const times: number[] = [];
  let plan: Plan | undefined;
  for (let run = 0; run < 5; run++) {
    const [row] = await db.rows<{ "QUERY PLAN": { Plan: Plan; "Execution Time": number; "Planning Time": number }[] }>(
      sql`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
    );
    const [explained] = row?.["QUERY PLAN"] ?? [];
    times.push((explained?.["Execution Time"] ?? 0) + (explained?.["Planning Time"] ?? 0));
    plan = explained?.Plan;
  }
  if (showsPlan) {
    const lines = await db.rows<{ "QUERY PLAN": string }>(sql`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ${statement}`);
    console.log(lines.map((line) => `      ${line["QUERY PLAN"]}`).join("\n"));
  }
  return {
    ms: times.sort((a, b) => a - b)[2] ?? 0,
    indexes: plan ? listIndexes(plan) : [],
    rows: plan?.["Actual Rows"] ?? 0,
  };
}

async function measureLists(): Promise<number> {
  const { url, ownerUrl } = await createDatabase(DATABASE);
  process.env.DATABASE_URL = url;
  console.log(`${ROWS} problems of ${PATIENTS} patients in two practices …`);
  await asAdmin(ownerUrl, async (client: Client) => {
    for (const { text, values: bound } of seedStatements()) await client.query(text, bound);
    await client.query("VACUUM ANALYZE");
  });
  let slowest = 0;
  console.log("list | practices | first ms | middle ms | last ms | count ms | indexes");
  for (const one of CASES) {
    for (const practices of [[1], [1, 2]]) {
      const pages = [];
      for (const share of [0, 0.5, 1]) pages.push(await measurePage(one, practices, share));
      const count = await measureCount(one, practices);
      slowest = Math.max(slowest, ...pages.map(({ ms }) => ms));
      const indexes = [...new Set(pages.flatMap((page) => page.indexes))].map((index) =>
        index.replace("resource_", ""),
      );
      const times = [...pages, count].map(({ ms }) => ms.toFixed(2));
      console.log([one.name, practices.length, ...times, indexes.join(" ")].join(" | "));
    }
  }
  console.log(`slowest ${slowest.toFixed(2)} ms, goal ${GOAL_MS} ms`);
  return slowest < GOAL_MS ? 0 : 1;
}

await main(measureLists);
