import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { listCompanyNames, listImportedCompanies } from "@/lib/insurance/payers/commands/import-companies";
import {
  type CheckResult,
  checkRecord,
  countBlockers,
  type FoundRow,
  type RecordContext,
} from "@/lib/migration/check/check-record";
import type { FindingRow } from "@/lib/migration/findings/checks";
import { planOwn } from "@/lib/migration/plan/plan-own";
import { planPatient } from "@/lib/migration/plan/plan-patient";
import { ambiguousIds, CompanyDirectory, companiesByName, type KnownCompanies } from "@/lib/migration/record/mapping";
import { storable } from "@/lib/migration/record/raw-record";
import { prepareAhead, refreshRunStatistics, thenAhead, writeOverlapping } from "@/lib/migration/runs/batches";
import { workBatch } from "@/lib/migration/runs/migration-run";
import {
  findKnowledge,
  findNeighbors,
  listBothSides,
  listFindingsOf,
  type Neighbors,
} from "@/lib/migration/runs/queries";
import { recordCounts } from "@/lib/migration/runs/run-groups";
import type { RunRow, StagedRow, WorkOptions } from "@/lib/migration/runs/schema";
import { listNextStaged, listStagedByNumber } from "@/lib/migration/runs/staged-records";
import { clock } from "@/lib/platform/clock";
import { chunks, type Db, db, insertInto, json, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { groupBy } from "@/lib/platform/objects";

const BATCH_RECORDS = 200;
/** Short, because the previous batch may be waiting to send its next statement. */
const MAX_TURN_MS = 4;

/** The payers of the practice and of the export: by name, and by their IDs in the export. */
export interface CompanyKnowledge {
  names: KnownCompanies;
  byExternalId: CompanyDirectory;
}

/** Reads the payers of a run: those of the practice and those of the export. */
export async function findCompanies(
  run: Pick<RunRow, "practice_id" | "companies">,
  read: Db = db,
): Promise<CompanyKnowledge> {
  const here = await listCompanyNames(read, run.practice_id);
  const imported = await listImportedCompanies(read, run.practice_id);
  const exported = run.companies.map(({ externalId, fields }) => ({ id: externalId, carrier: fields.carrier }));
  const known = here.flatMap(({ id, external_id }): [number, number][] =>
    external_id === null ? [] : [[external_id, id]],
  );
  const listed = new Set(exported.map(({ id }) => id));
  const others = here.filter(({ external_id }) => external_id === null || !listed.has(external_id));
  // A payer that was deleted here keeps its ID, so the conversion doesn't create it again.
  const ids = [...exported.map(({ id }) => [id, imported.get(id)?.id ?? null] as const), ...known];
  const named = [
    ...exported.map(({ id, carrier }) => ({ externalId: id, id: imported.get(id)?.id ?? null, carrier })),
    ...others.map(({ id, external_id: externalId, carrier }) => ({ externalId, id, carrier })),
  ];
  return {
    names: companiesByName([...exported, ...others.map(({ external_id: id, carrier }) => ({ id, carrier }))]),
    byExternalId: new CompanyDirectory(ids, { named, ambiguous: ambiguousIds(exported) }),
  };
}

/** Checks the records of a run in batches. Writes findings and verdicts only. */
export async function checkRun(run: RunRow, options: WorkOptions): Promise<RunRow> {
  const companies = await findCompanies(run);
  const read = prepareAhead(run.done, async (after) => {
    const next = await listNextStaged(db, run.id, { after, until: run.total, limit: BATCH_RECORDS });
    return next && { batch: await readForCheck(run, next.records, companies), last: next.last };
  });
  const batches = thenAhead(read, async (input) => prepareChecks(run.id, await checkAll(run, input, companies)));
  const state = await writeOverlapping(
    run,
    batches,
    async (previous, { batch: { verdicts, findings }, last }) => {
      const writing = workBatch(previous, async (tx) => {
        for (const statement of verdicts) tx.send(statement);
        // Lists show findings by ID, so a record's must follow those of the records before it.
        if (findings.length > 0) await previous;
        for (const statement of findings) tx.send(statement);
        return { done: last };
      });
      return { writing };
    },
    options,
  );
  if (options.signal?.aborted) return state;
  await refreshRunStatistics(run);
  return workBatch(state, async (tx) => {
    await recordCounts(tx, state);
    return { state: "checked" };
  });
}

/** A record, the result of its check, and its earlier findings with the decisions of staff. */
export interface CheckedStaged {
  row: StagedRow;
  checked: CheckResult;
  earlier: readonly FindingRow[];
}

type CheckedRun = Pick<RunRow, "id" | "practice_id" | "as_of" | "source">;

/** Checks records of a run, with the fixes that staff accepted. */
export async function checkRecords(
  run: CheckedRun,
  records: readonly StagedRow[],
  companies: CompanyKnowledge,
  read = db,
): Promise<CheckedStaged[]> {
  return checkAll(run, await readForCheck(run, records, companies, read), companies);
}

async function checkAll(run: CheckedRun, input: CheckInput, companies: CompanyKnowledge): Promise<CheckedStaged[]> {
  const results: CheckedStaged[] = [];
  for await (const result of checkEach(run, input, companies)) results.push(result);
  return results;
}

/** Records of a run, and what their check needs from the database. */
export interface CheckInput {
  records: readonly StagedRow[];
  neighbors: Neighbors;
  /** The findings of earlier checks, by record. */
  earlier: Map<number, FindingRow[]>;
  plan: RecordContext["plan"];
}

/** Reads what `checkEach` needs. */
export async function readForCheck(
  run: CheckedRun,
  records: readonly StagedRow[],
  companies: CompanyKnowledge,
  read = db,
): Promise<CheckInput> {
  const numbers = records.map(({ number }) => number);
  const ids = records.flatMap(({ insurance_ids, past_ids }) => [...insurance_ids, ...past_ids]);
  const patients = records.flatMap(({ external_id }) => toId(external_id));
  const [findings, neighbors, plan] = await Promise.all([
    listFindingsOf(read, run.id, numbers),
    findNeighbors(read, run.id, numbers, ids),
    run.source === "practice"
      ? ownPlanner(read, patients)
      : planner(read, run.practice_id, { patients, insurances: [...new Set(ids)].flatMap(toId) }, companies),
  ]);
  return { records, neighbors, earlier: groupBy(findings, ({ number }) => number), plan };
}

/** Checks records like `checkRecords`, one by one, so that a caller need not hold all results. */
export async function* checkEach(
  run: CheckedRun,
  { records, neighbors, earlier, plan }: CheckInput,
  companies: CompanyKnowledge,
): AsyncGenerator<CheckedStaged> {
  const now = clock.now();
  let lastPause = performance.now();
  for (const row of records) {
    // Checking one batch can take seconds, so let other requests run in between.
    if (performance.now() - lastPause > MAX_TURN_MS) {
      await setImmediate();
      lastPause = performance.now();
    }
    const earlierFindings = earlier.get(row.number) ?? [];
    const context: RecordContext = {
      asOf: run.as_of,
      now,
      companies: companies.names,
      directory: run.source === "practice" ? null : companies.byExternalId,
      reusedIds: neighbors.reusedIds,
      firstOf: neighbors.firstOf,
      hasKnownPerson: neighbors.knownPeople.has(row.number),
      repeats: neighbors.repeatedPatients.get(row.number) ?? null,
      plan,
    };
    const checked = await checkRecord(row, earlierFindings, context);
    // Staff correct the practice's own records on the patient's page.
    const findings =
      run.source === "practice" ? checked.findings.map((one) => ({ ...one, fix: null })) : checked.findings;
    yield { row, checked: { ...checked, findings }, earlier: earlierFindings };
  }
}

/** Plans records of an export against the practice's patients with the same ids. */
async function planner(
  read: Db,
  practiceId: number,
  ids: { patients: readonly number[]; insurances: readonly number[] },
  companies: CompanyKnowledge,
): Promise<RecordContext["plan"]> {
  const { patients, owners } = await findKnowledge(read, practiceId, ids);
  return (patient, decided) => {
    const known = patients.get(patient.id) ?? null;
    const insurances = [...patient.insurances, ...patient.deleted_insurances].map(({ id }) => id);
    const elsewhere = new Set(insurances.filter((id) => owners.has(id) && owners.get(id) !== known?.id));
    return planPatient(patient, { known, companies: companies.byExternalId, elsewhere, ...decided });
  };
}

/** Plans the practice's own records by comparing both stores. */
async function ownPlanner(read: Db, patients: readonly number[]): Promise<RecordContext["plan"]> {
  const stored = new Map((await listBothSides(read, patients)).map((patient) => [patient.id, patient]));
  return ({ id }) => planOwn(stored.get(id) ?? null);
}

const toId = (text: string | null) => (text !== null && /^[1-9]\d{0,15}$/.test(text) ? [Number(text)] : []);

/** Checks records again in the transaction that changed their decisions. */
export async function recheckRecords(tx: Tx, run: RunRow, numbers: readonly number[]): Promise<void> {
  const companies = await findCompanies(run, tx);
  for (let at = 0; at < numbers.length; at += 200) {
    const records = await listStagedByNumber(tx, run.id, numbers.slice(at, at + 200));
    await storeChecks(tx, run.id, await checkRecords(run, records, companies, tx));
  }
}

/** Stores verdicts and findings. Earlier findings keep the decisions of staff. */
export async function storeChecks(tx: Tx, runId: number, results: readonly CheckedStaged[]): Promise<void> {
  const { verdicts, findings } = prepareChecks(runId, results);
  for (const statement of [...verdicts, ...findings]) tx.send(statement);
}

/** The statements that store the results of checks. */
interface CheckWrites {
  verdicts: Sql[];
  findings: Sql[];
}

/** Builds the statements that store verdicts and findings. Earlier findings keep the decisions of staff. */
function prepareChecks(runId: number, results: readonly CheckedStaged[]): CheckWrites {
  const matched = results.map(({ checked, earlier }) => matchFindings(checked.findings.map(storableFinding), earlier));
  const rows = results.map(({ row, checked }, at) => {
    const { plan, verdict, insurances, leftOut } = checked;
    const count = (wanted: string) => plan?.insurances.filter((one) => one.verdict === wanted).length ?? 0;
    const decided = (matched[at] ?? []).map(({ found, before }) => {
      const { severity, list, position } = found;
      return { severity, list, position, decision: before?.decision ?? "open" };
    });
    return {
      number: row.number,
      verdict,
      plan,
      blockers: countBlockers(decided),
      refused: verdict === "refused" ? insurances : leftOut,
      creates: count("create"),
      updates: count("update"),
      unchanged: count("unchanged"),
      archives: count("archive"),
    };
  });
  const verdicts = [...chunks(rows, 200)].map(
    (part) => sql`
      UPDATE migration_record r SET verdict = c.verdict, plan = c.plan, creates = c.creates, updates = c.updates,
        unchanged = c.unchanged, archives = c.archives, refused = c.refused, blockers = c.blockers,
        state = CASE WHEN r.state IN ('staged', 'left_out', 'stale') THEN 'checked' ELSE r.state END
      FROM json_to_recordset(${JSON.stringify(part)}::json) AS c(number int, verdict verdict, plan jsonb, blockers int,
        refused int, creates int, updates int, unchanged int, archives int)
      WHERE r.run_id = ${runId} AND r.number = c.number`,
  );
  const earlier = results.flatMap((result) => result.earlier);
  return { verdicts, findings: prepareFindings(runId, matched.flat(), earlier) };
}

const FINDING_COLUMNS = [
  "run_id",
  "number",
  "patient",
  "insurance",
  "list",
  "position",
  "code",
  "severity",
  "field",
  "found",
  "message",
  "fix",
] as const;

/** A finding and the earlier finding that it repeats. */
interface Matched {
  found: FoundRow;
  before: FindingRow | undefined;
}

const placeOf = ({ code, list, position, insurance }: Pick<FoundRow, "code" | "list" | "position" | "insurance">) =>
  `${code} ${list ?? ""} ${position ?? ""} ${insurance ?? ""}`;

/**
 * Matches findings with earlier ones, so that decisions carry over. Several findings at one place, such as two rejected
 * rows of a patient, match by message first, then in order. A finding that an accepted fix didn't resolve is open again.
 */
function matchFindings(findings: readonly FoundRow[], earlier: readonly FindingRow[]): Matched[] {
  const current = earlier.filter(({ decision }) => decision !== "accepted");
  const before = new Map<FoundRow, FindingRow>();
  for (const keyOfFinding of [(one: FoundRow) => `${placeOf(one)} ${one.message}`, placeOf]) {
    const taken = new Set(before.values());
    const waiting = new Map<string, FindingRow[]>();
    for (const row of current.filter((one) => !taken.has(one))) {
      const key = keyOfFinding(row);
      const others = waiting.get(key);
      if (others) others.push(row);
      else waiting.set(key, [row]);
    }
    for (const found of findings.filter((one) => !before.has(one))) {
      const match = waiting.get(keyOfFinding(found))?.shift();
      if (match) before.set(found, match);
    }
  }
  return findings.map((found) => ({ found, before: before.get(found) }));
}

const isAsFound = (a: FoundRow, b: FoundRow) =>
  isDeepStrictEqual([a.field, a.found, a.message, a.fix], [b.field, b.found, b.message, b.fix]);

/** Replaces characters that PostgreSQL rejects. They may be what the finding is about. */
function storableFinding(found: FoundRow): FoundRow {
  const { patient, insurance, message, field } = found;
  const texts = storable({ patient, insurance, message, field });
  return { ...found, ...texts, found: storable(found.found), fix: storable(found.fix) };
}

/** Builds the statements that store findings. They are SQL, because the check and the conversion run them for every batch. */
function prepareFindings(runId: number, matched: readonly Matched[], earlier: readonly FindingRow[]): Sql[] {
  const updates = matched.flatMap(({ found, before }) => {
    if (!before || isAsFound(before, found)) return [];
    const { field, message, fix } = found;
    return sql`
      UPDATE migration_finding SET field = ${field}, found = ${json(found.found)}, message = ${message},
        fix = ${fix && json(fix)} WHERE id = ${before.id}`;
  });
  const kept = new Set(matched.map(({ before }) => before?.id));
  const gone = earlier.filter(({ id, decision }) => decision !== "accepted" && !kept.has(id)).map(({ id }) => id);
  const deletion = gone.length > 0 ? [sql`DELETE FROM migration_finding WHERE id = ANY(${gone}::bigint[])`] : [];
  const rows = matched.filter(({ before }) => !before).map(({ found }) => ({ run_id: runId, ...found }));
  const insertions = [...chunks(rows, 500)].map((part) => insertInto("migration_finding", part, FINDING_COLUMNS));
  return [...updates, ...deletion, ...insertions];
}
