import { auditChange } from "@/lib/access/audit/commands";
import type { Origin } from "@/lib/access/identity/origin";
import type { ImportedPatient } from "@/lib/insurance/patients/import-patients";
import { findImportedInsuranceIds, findImportedPatients } from "@/lib/insurance/patients/import-queries";
import { forgetCards, type PreparedPatient, preparePatient } from "@/lib/migration/convert/prepare-patient";
import { isRefusal, writePatients } from "@/lib/migration/convert/write-patients";
import type { Destination } from "@/lib/migration/plan/target-patient";
import type { ImportCounters, LegacyPatient } from "@/lib/migration/record/schema";
import { isoNow } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { advanceRun, requireRun } from "./import-progress";
import type { OpenRun } from "./queries";

/** A line that was read: a patient with the hash of what was read, or why it is refused. */
export type ParsedLine = { patient: LegacyPatient; fingerprint: string } | { reason: string };

/** Lines of one batch. No two are of the same patient or have an insurance in common. */
export type BatchLine = ParsedLine & { line: number };

type LineOutcome = { line: number } & (PreparedPatient | { unchanged: true } | { reason: string });

/**
 * Imports a batch of lines: both stores and the progress of the run in one transaction. Where the database refuses it, its
 * patients are written one by one in a second one, so that only those it really refuses are left out.
 *
 * @returns the run, moved on
 * @throws OverloadedError, ConflictError or a lost connection: nothing of the batch was written
 */
export async function importBatch(
  run: OpenRun,
  lines: readonly BatchLine[],
  context: { destination: Destination; origin: Origin },
): Promise<OpenRun> {
  const now = isoNow();
  const prepared = await prepareLines(lines, context.destination, now);
  const attempt = (work: (tx: Tx) => Promise<LineOutcome[]>) =>
    transaction(async (tx) => {
      await requireRun(tx, run);
      const outcomes = await work(tx);
      const counters = outcomes.reduce(tally, run.counters);
      const refusals = outcomes.flatMap(({ line, ...rest }) =>
        "reason" in rest ? [{ line, reason: rest.reason }] : [],
      );
      return {
        next: await advanceRun(tx, run, { lastLine: lines.at(-1)?.line ?? run.lines_done, counters, refusals }),
        outcomes,
      };
    });
  const write = { ...context, now };
  try {
    const { next } = await attempt(async (tx) => {
      const written = await writePatients(tx, prepared.filter(isPrepared), write);
      await auditChange(tx, context.origin, idsOf(written));
      return prepared;
    });
    return next;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const { next, outcomes } = await attempt((tx) => writeOneByOne(tx, prepared, write));
  for (const [at, outcome] of outcomes.entries()) {
    const before = prepared[at];
    if ("reason" in outcome && before && isPrepared(before)) await forgetCards(before.patient.cards);
  }
  return next;
}

async function prepareLines(
  lines: readonly BatchLine[],
  destination: Destination,
  now: string,
): Promise<LineOutcome[]> {
  const patients = lines.flatMap((line) => ("patient" in line ? [line.patient] : []));
  const { practiceId } = destination;
  const known = await findImportedPatients(
    db,
    practiceId,
    patients.map(({ id }) => id),
  );
  const fresh = patients.filter(({ id }) => !known.has(id)).flatMap(insuranceIds);
  const taken = await findImportedInsuranceIds(db, practiceId, fresh);
  const outcomes: LineOutcome[] = [];
  for (const entry of lines) {
    const { line } = entry;
    if (!("patient" in entry)) outcomes.push({ line, reason: entry.reason });
    else if (known.has(entry.patient.id))
      outcomes.push({ line, ...compare(entry, known.get(entry.patient.id) ?? null) });
    else {
      const id = insuranceIds(entry.patient).find((insurance) => taken.has(insurance));
      const prepared = id ? { reason: reused(id) } : await preparePatient(entry, destination, now);
      outcomes.push({ line, ...prepared });
    }
  }
  return outcomes;
}

/** The ids of all insurances of a patient, current and past, in the system they come from. */
export function insuranceIds(patient: LegacyPatient): number[] {
  return [...patient.insurances, ...patient.deleted_insurances].map(({ id }) => id);
}

function compare(entry: { patient: LegacyPatient; fingerprint: string }, known: string | null) {
  // What users changed here since is theirs: a line that is as it was changes nothing, and one that differs is not
  // written over their work.
  if (entry.fingerprint === known) return { unchanged: true as const };
  return {
    reason: `id: patient ${entry.patient.id} was imported before and differs from this line; change it here instead`,
  };
}

const reused = (id: number) => `insurances: ${id} is the id of an insurance that was imported with another patient`;

function isPrepared<T extends LineOutcome>(outcome: T): outcome is T & PreparedPatient {
  return "patient" in outcome;
}

const idsOf = (patients: readonly ImportedPatient[]) => patients.map(({ id }) => id);

async function writeOneByOne(
  tx: Tx,
  prepared: readonly LineOutcome[],
  write: { destination: Destination; origin: Origin; now: string },
): Promise<LineOutcome[]> {
  const outcomes: LineOutcome[] = [];
  const written: number[] = [];
  for (const outcome of prepared) {
    if (!isPrepared(outcome)) {
      outcomes.push(outcome);
      continue;
    }
    await tx.run(sql`SAVEPOINT one_patient`);
    try {
      written.push(...idsOf(await writePatients(tx, [outcome], write)));
      outcomes.push(outcome);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await tx.run(sql`ROLLBACK TO SAVEPOINT one_patient`);
      outcomes.push({ line: outcome.line, reason: `the database refused it: ${(error as Error).message}` });
    }
    await tx.run(sql`RELEASE SAVEPOINT one_patient`);
  }
  await auditChange(tx, write.origin, written);
  return outcomes;
}

function tally(counters: ImportCounters, outcome: LineOutcome): ImportCounters {
  const read = counters.read + 1;
  if ("reason" in outcome) return { ...counters, read, refused: counters.refused + 1 };
  if ("unchanged" in outcome) return { ...counters, read, unchanged: counters.unchanged + 1 };
  const { patient, notes } = outcome;
  const active = patient.insurances.filter(({ deletedDate }) => deletedDate === null).length;
  const unknown = { ...counters.unknown_physicians };
  if (notes.unknownPhysician !== null) unknown[notes.unknownPhysician] = (unknown[notes.unknownPhysician] ?? 0) + 1;
  return {
    ...counters,
    read,
    created: counters.created + 1,
    active_policies: counters.active_policies + active,
    archived_policies: counters.archived_policies + patient.insurances.length - active,
    card_images: counters.card_images + patient.cards.length,
    unknown_physicians: unknown,
    dropped_plan_ids: counters.dropped_plan_ids + notes.droppedPlanIds,
  };
}
