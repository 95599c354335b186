import { pickInsurance } from "@/lib/insurance/fields/fields";
import { toRankWord } from "@/lib/insurance/fields/limits";
import { listPatientsAfter, type PatientWithLegacy } from "@/lib/insurance/patients/import-queries";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { insertRecords, storeNeighbors } from "@/lib/migration/read/read-run";
import { fingerprintOf, personHash, type RawRecord } from "@/lib/migration/record/raw-record";
import type { StagedRecord } from "@/lib/migration/record/stage-record";
import { refreshRunStatistics } from "@/lib/migration/runs/batches";
import { createStartedRun, type RunRequest, workBatch } from "@/lib/migration/runs/migration-run";
import type { RunRow, WorkOptions } from "@/lib/migration/runs/schema";
import { kysely } from "@/lib/platform/db/kysely";
import { db } from "@/lib/platform/db/sql";
import { getPracticeRules } from "@/lib/practice/practices/queries";

const BATCH_RECORDS = 200;

/** The source name of runs on the practice's own records. */
export const OWN_RECORDS = "Own legacy records";

/**
 * Creates a run on the practice's own legacy records and starts checking them. It needs no upload.
 *
 * @param asOf `YYYY-MM-DD`; the practice's current day if omitted
 * @throws ConflictError practice_at_work
 */
export async function startOwnRun(request: RunRequest, practiceId: number, asOf?: string): Promise<{ id: number }> {
  const today = (await getPracticeRules(db, practiceId)).now.toISOString().slice(0, 10);
  const id = await createStartedRun(request, {
    practiceId,
    source: "practice",
    name: OWN_RECORDS,
    size: 0,
    asOf: asOf ?? today,
    columns: null,
    companies: [],
  });
  return { id };
}

/** Stages the practice's own legacy records, patient by patient. */
export async function readOwnRun(run: RunRow, { signal, onProgress }: WorkOptions): Promise<RunRow> {
  let state = run;
  let { last, number } = await lastStaged(run.id);
  for (;;) {
    if (signal?.aborted) return state;
    const patients = await listPatientsAfter(db, run.practice_id, { after: last, limit: BATCH_RECORDS });
    const next = patients.at(-1)?.id;
    if (next === undefined) break;
    const from = number;
    const records = patients.map((patient, at) => {
      const place = from + at + 1;
      return { number: place, line: place, refusal: null, record: stageOwnRecord(patient, run.practice_id) };
    });
    state = await workBatch(state, async (tx) => {
      await insertRecords(tx, run.id, records);
      return { done: from + records.length };
    });
    last = next;
    number += records.length;
    onProgress?.(state);
  }
  const total = number;
  await refreshRunStatistics({ ...run, total });
  return workBatch(state, async (tx) => {
    await storeNeighbors(tx, run.id);
    return { state: "checking", done: 0, total };
  });
}

/** Returns the patient and the number of the last staged record, to resume after it. */
async function lastStaged(runId: number): Promise<{ last: number; number: number }> {
  const row = await db.first(
    kysely
      .selectFrom("migration_record")
      .select(["external_id", "number"])
      .where("run_id", "=", runId)
      .orderBy("number", "desc")
      .limit(1),
  );
  return row ? { last: Number(row.external_id), number: row.number } : { last: 0, number: 0 };
}

/** Returns a patient's legacy records in the form of an export, for the checks. IDs are the practice's. */
export function stageOwnRecord(patient: PatientWithLegacy, practiceId: number): StagedRecord {
  const current = patient.insurances.filter(({ deleted_date }) => deleted_date === null);
  const past = patient.insurances.filter(({ deleted_date }) => deleted_date !== null);
  const ranks = [...new Set(patient.cards.map(({ rank }) => rank))];
  const raw: RawRecord = {
    id: patient.id,
    first_name: patient.first_name,
    middle_name: patient.middle_name,
    last_name: patient.last_name,
    dob: patient.dob,
    sex: patient.sex,
    caregiver_practice: practiceId,
    insurances: current.map(toRaw),
    deleted_insurances: past.map(toRaw),
    insurance_cards: ranks.map((rank) => ({
      rank,
      images: patient.cards
        .filter((card) => card.rank === rank)
        .map(({ image_rank: side, sha256, bytes }) => ({ side, sha256, bytes, problem: null })),
    })),
  };
  return {
    raw,
    exact: null,
    images: [],
    fingerprint: fingerprintOf(raw),
    externalId: String(patient.id),
    person: personHash(raw),
    insuranceIds: current.map(({ id }) => String(id)),
    pastIds: past.map(({ id }) => String(id)),
  };
}

function toRaw(row: InsuranceRow): RawRecord {
  const { id, rank, created_date, deleted_date } = row;
  return { id, rank: toRankWord(rank), ...pickInsurance(row), created_date, deleted_date };
}
