import { insuranceProblems, pickInsurance } from "@/lib/insurance/fields/fields";
import { toRank } from "@/lib/insurance/fields/limits";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { InsuranceState, PatientChange } from "@/lib/insurance/patient-write/replication-payload";
import type { InsuranceInput, InsuranceRow } from "@/lib/insurance/patients/schema";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { allocateInsuranceIds, allocatePolicyIds, takeId } from "./allocate-ids";
import { findReferenceProblems } from "./payer-references";
import type { InsuranceLedger } from "./store";

/**
 * Applies the `insurances` array of a legacy write, according to the state table of the specification.
 *
 * With versioning enabled, an entry with the ID of a current insurance updates it in place and its card images stay linked.
 * An entry without an ID creates an insurance; the insurance that held its rank ends, and its card images move to the new
 * one. Current insurances without an entry end. With versioning disabled, all current insurances end and every entry creates
 * a new one; IDs are ignored.
 *
 * @param found problems already found with each entry, reported together with those found here
 * @returns the changes to replicate to policies
 * @throws ValidationError nested like the array, if any entry is invalid; nothing is changed
 */
export async function writeInsurances(
  write: PatientWrite,
  ledger: InsuranceLedger,
  inputs: readonly InsuranceInput[],
  versioning: "enabled" | "disabled",
  found: readonly (FieldErrors | null)[] = [],
): Promise<PatientChange[]> {
  const entries = versioning === "enabled" ? inputs : inputs.map((input) => ({ ...input, id: null }));
  const before = ledger.current;
  requireWellFormed(entries, before);
  await requireSound(write, entries, before, found);
  if (entries.length === 0) {
    for (const row of before) ledger.end(row.id);
    ledger.moveCardsWithInsurances();
    return [{ kind: "deactivate_all" }];
  }
  const kept = new Set(entries.flatMap(({ id }) => (id ? [id] : [])));
  const taken = new Set(entries.filter(({ id }) => !id).map(({ rank }) => toRank(rank)));
  const changes: PatientChange[] = [];
  for (const row of before.filter(({ id }) => !kept.has(id))) {
    const superseded = taken.has(row.rank) ? "superseded" : "absent";
    const reason = versioning === "disabled" ? "replaced" : superseded;
    changes.push({ kind: "delete", insurance: toState(ledger.end(row.id)), reason });
  }
  for (const entry of entries) {
    const row = before.find(({ id }) => id === entry.id);
    if (!row) continue;
    const after = { ...row, ...pickInsurance(entry, row), rank: toRank(entry.rank) };
    ledger.put(after);
    if (JSON.stringify(row) !== JSON.stringify(after)) changes.push({ kind: "update", insurance: toState(after) });
  }
  const fresh = entries.filter(({ id }) => !id);
  const created = await createRows(write, fresh);
  for (const row of created) ledger.put(row);
  const cardless = before.filter(({ rank }) => ledger.cards(rank).length === 0);
  ledger.moveCardsWithInsurances();
  for (const { id } of cardless.filter(({ id }) => kept.has(id))) {
    const row = ledger.find(id);
    const cards = row ? ledger.cards(row.rank) : [];
    if (row && cards.length > 0) changes.push({ kind: "cards", policy_id: row.policy_id, cards });
  }
  for (const row of created) {
    const previous = before.find(({ rank, id }) => rank === row.rank && !kept.has(id));
    const imagesFrom = previous?.policy_id ?? null;
    changes.push({ kind: "create", insurance: toState(row), images_from: imagesFrom, cards: ledger.cards(row.rank) });
  }
  return changes;
}

async function createRows(write: PatientWrite, entries: readonly InsuranceInput[]): Promise<InsuranceRow[]> {
  if (entries.length === 0) return [];
  const ids = await allocateInsuranceIds(write.tx, entries.length);
  const policyIds = await allocatePolicyIds(write.tx, entries.length);
  return entries.map((entry) => ({
    id: takeId(ids),
    patient_id: write.patient.id,
    practice_id: write.patient.practice_id,
    policy_id: takeId(policyIds),
    external_id: null,
    rank: toRank(entry.rank),
    ...pickInsurance(entry),
    created_date: write.now,
    deleted_date: null,
  }));
}

function toState(row: InsuranceRow): InsuranceState {
  const { id, policy_id, rank, created_date, deleted_date } = row;
  return { id, policy_id, rank, created_date, deleted_date, ...pickInsurance(row) };
}

/** Requires that each ID is a current insurance of this patient, and that no ID or rank repeats. */
function requireWellFormed(entries: readonly InsuranceInput[], current: readonly InsuranceRow[]): void {
  const problems = entries.map((entry, at): FieldErrors => {
    const earlier = entries.slice(0, at);
    const found: FieldErrors = {};
    const given = entry.id !== null && entry.id !== undefined;
    if (given && !current.some(({ id }) => id === entry.id)) found.id = ["Not a current insurance of this patient."];
    if (given && earlier.some(({ id }) => id === entry.id)) found.id = ["Duplicate insurance ID."];
    if (earlier.some(({ rank }) => rank === entry.rank)) found.rank = ["Each rank can be used only once."];
    return found;
  });
  throwIfAny(problems);
}

/** Validates the records as they would be stored: consistent fields, and payers and plans of this practice. */
async function requireSound(
  write: PatientWrite,
  entries: readonly InsuranceInput[],
  current: readonly InsuranceRow[],
  found: readonly (FieldErrors | null)[],
): Promise<void> {
  const problems: FieldErrors[] = [];
  for (const [at, entry] of entries.entries()) {
    const before = current.find(({ id }) => id === entry.id) ?? null;
    const record = pickInsurance(entry, before);
    const references = await findReferenceProblems(write.tx, write.patient.practice_id, record, before);
    problems.push({ ...insuranceProblems(record), ...references, ...found[at] });
  }
  throwIfAny(problems);
}

function throwIfAny(problems: readonly FieldErrors[]): void {
  if (problems.some((problem) => Object.keys(problem).length > 0)) {
    throw new ValidationError({ insurances: [...problems] });
  }
}
