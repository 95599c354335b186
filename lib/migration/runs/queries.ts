import type { Access } from "@/lib/access/identity/access";
import {
  listCurrentCards,
  listExternalPatients,
  listInsuranceOwners,
  listPatientHistory,
  listStoredPatients,
} from "@/lib/insurance/patients/import-queries";
import type { PatientHistoryEntry } from "@/lib/insurance/patients/rules";
import { listInsurances } from "@/lib/insurance/patients/store";
import {
  countVersions,
  type ImageSpan,
  listEarlierVersions,
  listImageSpans,
  listLastSources,
  listPoliciesWithVersions,
  type PolicyVersion,
} from "@/lib/insurance/policies/migration-queries";
import type { FindingRow } from "@/lib/migration/findings/checks";
import type { Difference, StoredPatient } from "@/lib/migration/plan/compare-stores";
import type { KnownPatient } from "@/lib/migration/plan/plan-patient";
import { AT_WORK, type RunState } from "@/lib/migration/runs/run-states";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";
import type { RunRow } from "./schema";

/** The columns of a `RunRow`. */
export const RUN_COLUMNS = [
  "id",
  "practice_id",
  "source",
  "source_name",
  "source_size",
  "as_of",
  "columns",
  "companies",
  "follows",
  "upload_turn",
  "state",
  "stopped_in",
  "error",
  "attempted_by",
  "done",
  "total",
  "since_date",
  "since_done",
  "origin",
  "verification",
  "created_companies",
  "company_changes",
  "roll_back",
  "purged_date",
  "created_date",
  "changed_date",
] as const;

const selectRuns = kysely.selectFrom("migration_run").select(RUN_COLUMNS);

const selectOwnRun = (access: Access, runId: number) =>
  selectRuns.where("id", "=", runId).where("practice_id", "=", anyOf(access.practices));

/** @throws NotFoundError if the caller has no such run */
export async function getRun(access: Access, runId: number, read: Db = db): Promise<RunRow> {
  const run = await read.first(selectOwnRun(access, runId));
  if (!run) throw new NotFoundError("migration run");
  return run;
}

/** Finds a run without an access check, for background work. */
export async function findRun(read: Db, runId: number): Promise<RunRow | null> {
  return read.first(selectRuns.where("id", "=", runId));
}

/**
 * Locks a run for the rest of the transaction.
 *
 * @throws NotFoundError if the caller has no such run
 */
export async function lockRun(tx: Db, access: Access, runId: number): Promise<RunRow> {
  const run = await tx.first(selectOwnRun(access, runId).forUpdate());
  if (!run) throw new NotFoundError("migration run");
  return run;
}

/** The columns of a locked run that its work checks. */
export type LockedRun = Row<"migration_run", "practice_id" | "state" | "done" | "purged_date">;

/** Locks a run for a batch or a record of its work. Returns null if it was deleted. */
export async function lockForWork(tx: Db, runId: number): Promise<LockedRun | null> {
  return tx.first<LockedRun>(
    sql`SELECT practice_id, state, done, purged_date FROM migration_run WHERE id = ${runId} FOR UPDATE`,
  );
}

/** Returns runs with work to do, longest without progress first. Excludes runs whose file the command line reads. */
export async function findRunsAtWork(): Promise<Row<"migration_run", "id" | "changed_date" | "origin">[]> {
  return db.rows(
    kysely
      .selectFrom("migration_run as m")
      .select(["m.id", "m.changed_date", "m.origin"])
      .where("m.state", "in", AT_WORK)
      .where((eb) =>
        eb.or([
          eb("m.state", "<>", "reading"),
          eb("m.source", "=", "practice"),
          eb.exists(eb.selectFrom("migration_part as p").select("p.part").whereRef("p.run_id", "=", "m.id")),
        ]),
      )
      .orderBy("m.changed_date")
      .orderBy("m.id"),
  );
}

/** Returns the runs of all practices that were checked since a time, ISO 8601, and wait for review. For background work. */
export async function listRunsToReview(since: string): Promise<Row<"migration_run", "id" | "practice_id">[]> {
  return db.rows(
    kysely
      .selectFrom("migration_run")
      .select(["id", "practice_id"])
      .where("state", "=", "checked")
      .where("changed_date", ">=", since)
      .orderBy("id"),
  );
}

// The statements on the neighbors and findings of records are SQL, because every batch of every stage runs them.

/** What records share with other records of the run. */
export interface Neighbors {
  /** IDs, as text, that several current insurances share. */
  reusedIds: Set<string>;
  /** The first record with each id that several insurances have, current or past. */
  firstOf: Map<string, number>;
  /** Records whose person has an earlier record. */
  knownPeople: Set<number>;
  /** The line of the earlier record with the same patient id, by record. */
  repeatedPatients: Map<number, number>;
}

/**
 * Finds what records share with other records of the run.
 *
 * @param ids the IDs of all insurances of these records, as text
 */
export async function findNeighbors(
  read: Db,
  runId: number,
  numbers: readonly number[],
  ids: readonly string[],
): Promise<Neighbors> {
  const [reused, repeats] = await Promise.all([
    read.rows<Row<"migration_reused_id", "insurance" | "is_current" | "first_number">>(sql`
      SELECT insurance, is_current, first_number FROM migration_reused_id
      WHERE run_id = ${runId} AND insurance = ANY(${[...ids]}::text[])`),
    read.rows<Row<"migration_repeat", "number" | "is_known_person" | "earlier_line">>(sql`
      SELECT number, is_known_person, earlier_line FROM migration_repeat
      WHERE run_id = ${runId} AND number = ANY(${[...numbers]}::int[])`),
  ]);
  return {
    reusedIds: new Set(reused.filter(({ is_current }) => is_current).map(({ insurance }) => insurance)),
    firstOf: new Map(reused.map(({ insurance, first_number }) => [insurance, first_number])),
    knownPeople: new Set(repeats.filter(({ is_known_person }) => is_known_person).map(({ number }) => number)),
    repeatedPatients: new Map(
      repeats.flatMap(({ number, earlier_line }) => (earlier_line === null ? [] : [[number, earlier_line]])),
    ),
  };
}

/** Lists the findings of these records. */
export async function listFindingsOf(read: Db, runId: number, numbers: readonly number[]): Promise<FindingRow[]> {
  return read.rows<FindingRow>(sql`
    SELECT id, number, patient, insurance, list, position, code, severity, field, found, message, fix, decision, reason
    FROM migration_finding WHERE run_id = ${runId} AND number = ANY(${[...numbers]}::int[]) ORDER BY id`);
}

/** The practice's patients and insurances that an export also has. */
export interface Knowledge {
  patients: Map<number, KnownPatient>;
  /** IDs of the practice's patients by the export's insurance IDs. */
  owners: Map<number, number>;
}

/** Finds a practice's patients and insurances by their IDs in an export. */
export async function findKnowledge(
  read: Db,
  practiceId: number,
  ids: { patients: readonly number[]; insurances: readonly number[] },
): Promise<Knowledge> {
  const [patients, owners] = await Promise.all([
    listExternalPatients(read, practiceId, ids.patients),
    listInsuranceOwners(read, practiceId, ids.insurances),
  ]);
  if (patients.length === 0) return { patients: new Map(), owners };
  const patientIds = patients.map(({ id }) => id);
  const [insurances, cards, lastSources] = await Promise.all([
    listInsurances(read, patientIds),
    listCurrentCards(read, patientIds),
    listLastSources(read, patientIds),
  ]);
  const insurancesOf = groupBy(insurances, ({ patient_id }) => patient_id);
  const cardsOf = groupBy(cards, ({ patient_id }) => patient_id);
  const known = patients.map(({ external_id, ...patient }): [number, KnownPatient] => [
    external_id,
    {
      ...patient,
      insurances: insurancesOf.get(patient.id) ?? [],
      cards: new Set((cardsOf.get(patient.id) ?? []).map(({ rank, image_rank }) => `${rank} ${image_rank}`)),
      lastSources,
    },
  ]);
  return { patients: new Map(known), owners };
}

/** Reads patients from both stores. */
export async function listBothSides(read: Db, ids: readonly number[]): Promise<StoredPatient[]> {
  if (ids.length === 0) return [];
  const [patients, policies] = await Promise.all([listStoredPatients(read, ids), listPoliciesWithVersions(read, ids)]);
  const policiesOf = groupBy(policies, ({ patient_id }) => patient_id);
  return patients.map((patient) => ({ ...patient, policies: policiesOf.get(patient.id) ?? [] }));
}

/** Patients from both stores, with their histories. */
export interface StoredWithHistory {
  patients: Map<number, StoredPatient>;
  history: Map<number, PatientHistoryEntry[]>;
  /** The number of versions per policy. */
  counts: Map<number, number>;
  /** All versions of the policies of patients that a run created. */
  versions: Map<number, PolicyVersion[]>;
  imageSpans: Map<number, ImageSpan[]>;
}

/**
 * Reads patients from both stores with their histories.
 *
 * @param created the patients among them that a run created
 */
export async function listWithHistory(
  read: Db,
  ids: readonly number[],
  created: readonly number[],
): Promise<StoredWithHistory> {
  const [both, earlier, spans, history, counts] = await Promise.all([
    listBothSides(read, ids),
    listEarlierVersions(read, created),
    listImageSpans(read, created),
    listPatientHistory(read, ids),
    countVersions(read, ids),
  ]);
  const patients = new Map(both.map((patient) => [patient.id, patient]));
  const policies = created.flatMap((id) => patients.get(id)?.policies ?? []);
  const earlierOf = groupBy(earlier, ({ policy_id }) => policy_id);
  return {
    patients,
    history,
    counts,
    versions: new Map(
      policies.map(({ id, latest }) => [id, [...(earlierOf.get(id) ?? []), ...(latest ? [latest] : [])]]),
    ),
    imageSpans: groupBy(spans, ({ policy_id }) => policy_id),
  };
}

/**
 * Lists the runs of a file that the command line can resume, newest first.
 *
 * @param file the fingerprint is null for the practice's own records
 */
export async function listRunsToResume(
  read: Db,
  practiceId: number,
  { name, fingerprint }: { name: string; fingerprint: string | null },
): Promise<RunRow[]> {
  return read.rows(
    selectRuns
      .where("practice_id", "=", practiceId)
      .where("source_name", "=", name)
      .where("source", "=", fingerprint === null ? "practice" : "file")
      .where("source_fingerprint", "is not distinct from", fingerprint)
      .where((eb) =>
        eb.or([
          eb("state", "in", ["reading", "checking", "checked", "converting"]),
          eb("state", "=", "failed").and("stopped_in", "in", ["reading", "checking", "converting"]),
        ]),
      )
      .orderBy("id", "desc"),
  );
}

/** The part of a practice's readiness that a record `r` counts toward. It is SQL, like the statements that group, count or sort by it. */
export const READINESS_PART = sql`CASE
  WHEN r.state = 'verified' THEN 'verified'
  WHEN r.blockers > 0 OR r.state IN ('different', 'stale') THEN 'person'
  WHEN r.verdict = 'refused' THEN 'refused'
  ELSE 'convertible' END`;

/** A record with the differences that verification found. */
export type RecordDifferences = Row<"migration_record", "number" | "line"> & {
  patient: string | null;
  differences: Difference[];
};

/** Lists records with differences, after this number. */
export async function listDifferences(
  runId: number,
  { after, limit }: { after: number; limit: number },
): Promise<RecordDifferences[]> {
  const records = await db.rows(
    kysely
      .selectFrom("migration_record")
      .select(["number", "line", "external_id", "differences"])
      .where("run_id", "=", runId)
      .where("state", "=", "different")
      .where("number", ">", after)
      .orderBy("number")
      .limit(limit),
  );
  return records.map(({ external_id: patient, differences, ...record }) => ({
    ...record,
    patient,
    differences: differences ?? [],
  }));
}

/** Lists the practices that have runs. */
export async function listPracticesWithRuns(): Promise<number[]> {
  const rows = await db.rows(
    kysely.selectFrom("migration_run").select("practice_id").distinct().orderBy("practice_id"),
  );
  return rows.map(({ practice_id }) => practice_id);
}

/** Returns the number of a run's last record; 0 if it has none. */
export async function findLastNumber(read: Db, runId: number): Promise<number> {
  const { last } = await read.one(
    kysely
      .selectFrom("migration_record")
      .select((row) => row.fn.max<number | null>("number").as("last"))
      .where("run_id", "=", runId),
  );
  return last ?? 0;
}

/** The migration runs of all practices in a state. */
export interface RunsInState {
  state: RunState;
  count: number;
  /** When the last of them changed. */
  latest: string;
}

/** Counts the migration runs of all practices by their state. For operators. */
export function countRunsByState(): Promise<RunsInState[]> {
  return db.rows<RunsInState>(
    sql`SELECT state, count(*) AS count, max(changed_date) AS latest FROM migration_run GROUP BY state ORDER BY state`,
  );
}

/** Selects the file names of a practice's runs: `id` and `name`. */
export function selectRunNames(practiceId: number, ids: readonly number[]): Sql {
  return sql`SELECT r.id, r.source_name AS name FROM migration_run r
    WHERE r.practice_id = ${practiceId} AND ${inList(sql`r.id`, ids)}`;
}
