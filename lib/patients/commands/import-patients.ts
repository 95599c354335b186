import { chunks } from "@/lib/db/chunks";
import { type Db, join, json, sql } from "@/lib/db/sql";
import { changedFields, type Origin } from "@/lib/history/origin";
import type { InsuranceFields } from "@/lib/insurance/fields";
import type { Rank } from "@/lib/insurance/ranks";
import { allocatePolicyIds } from "@/lib/policies/commands/allocate";
import type { LegacyCardRow } from "../queries";
import type { InsuranceRow, PatientPatch } from "../schema";
import { sentDetails, toStoredPhones } from "./demographics";
import { allocateInsuranceIds, putInsurances } from "./rows";

/** A legacy insurance of another system, as it is to stand here. Times are ISO 8601. */
export interface InsuranceToImport {
  externalId: number;
  rank: Rank;
  fields: InsuranceFields;
  createdDate: string;
  /** null where it is current */
  deletedDate: string | null;
}

/** A patient of another system, with its insurances and the card images already in the store. */
export interface PatientToImport {
  externalId: number;
  /** Hash of what was read of it. */
  fingerprint: string;
  demographics: Omit<PatientPatch, "insurances" | "caregiver_practice"> &
    Required<Pick<PatientPatch, "first_name" | "last_name" | "dob" | "sex" | "primary_physician">>;
  createdDate: string;
  insurances: InsuranceToImport[];
  cards: LegacyCardRow[];
}

/** A patient that was imported, with its legacy records: what the policies are made from. */
export interface ImportedPatient {
  id: number;
  practice_id: number;
  first_name: string;
  last_name: string;
  dob: string;
  insurances: InsuranceRow[];
  cards: LegacyCardRow[];
}

/**
 * Inserts patients of another system with their legacy insurances, current and past, and their cards, many rows a
 * statement. Publishes nothing: the caller writes the policies in the same transaction, under the ids given here.
 */
export async function importPatients(
  tx: Db,
  patients: readonly PatientToImport[],
  context: { practiceId: number; now: string; origin: Origin },
): Promise<ImportedPatient[]> {
  if (patients.length === 0) return [];
  const ids = await insertPatients(tx, patients, context);
  const count = patients.reduce((sum, { insurances }) => sum + insurances.length, 0);
  const insuranceIds = await allocateInsuranceIds(tx, count);
  const policyIds = await allocatePolicyIds(tx, count);
  const imported = patients.map(({ externalId, demographics, insurances, cards }): ImportedPatient => {
    const { first_name, last_name, dob } = demographics;
    const owner = { patient_id: ids.get(externalId) as number, practice_id: context.practiceId };
    const rows = insurances.map(
      (insurance): InsuranceRow => ({
        id: insuranceIds.shift() as number,
        ...owner,
        policy_id: policyIds.shift() as number,
        external_id: insurance.externalId,
        rank: insurance.rank,
        ...insurance.fields,
        created_date: insurance.createdDate,
        deleted_date: insurance.deletedDate,
      }),
    );
    return {
      id: owner.patient_id,
      practice_id: owner.practice_id,
      first_name,
      last_name,
      dob,
      insurances: rows,
      cards,
    };
  });
  const insurances = imported.flatMap((patient) => patient.insurances);
  for (const rows of chunks(insurances, 500)) await putInsurances(tx, rows);
  await insertCards(tx, imported);
  await appendCreated(tx, patients, imported, context);
  return imported;
}

async function insertPatients(
  tx: Db,
  patients: readonly PatientToImport[],
  { practiceId, now }: { practiceId: number; now: string },
): Promise<Map<number, number>> {
  const values = patients.map(
    ({ externalId, fingerprint, demographics: sent, createdDate }) => sql`(${practiceId}, ${sent.primary_physician},
      ${externalId}, ${fingerprint}, ${sent.first_name}, ${sent.middle_name ?? ""}, ${sent.last_name}, ${sent.dob},
      ${sent.sex}, ${json(sentDetails(sent))}, ${json(toStoredPhones(sent.phones ?? [], [], now))}, ${createdDate}, ${now})`,
  );
  const rows = await tx.rows<{ id: number; external_id: number }>(sql`
    INSERT INTO patient (practice_id, primary_physician_id, external_id, source_fingerprint, first_name, middle_name,
      last_name, dob, sex, details, phones, created_date, last_modified)
    VALUES ${join(values)} RETURNING id, external_id`);
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

async function insertCards(tx: Db, patients: readonly ImportedPatient[]): Promise<void> {
  const values = patients.flatMap(({ id, cards }) =>
    cards.map(
      (
        i,
      ) => sql`(${id}, ${i.rank}, ${i.image_rank}, ${i.image_key}, ${i.sha256}, ${i.content_type}, ${i.bytes}, ${i.width},
        ${i.height}, ${i.created_date})`,
    ),
  );
  for (const rows of chunks(values, 1000)) {
    await tx.run(sql`
      INSERT INTO legacy_card (patient_id, rank, side, image_key, sha256, content_type, bytes, width, height, created_date)
      VALUES ${join(rows)}`);
  }
}

/** Each patient's first version: what was read, and the insurances that came with it. */
async function appendCreated(
  tx: Db,
  patients: readonly PatientToImport[],
  imported: readonly ImportedPatient[],
  { now, origin }: { now: string; origin: Origin },
): Promise<void> {
  const values = imported.map(({ id, insurances, cards }, at) => {
    const { externalId, demographics } = patients[at] as PatientToImport;
    const notes = insurances.map(({ id: insurance, policy_id, rank, deleted_date }) => ({
      id: insurance,
      policy: policy_id,
      rank,
      kind: deleted_date === null ? "created" : "ended",
    }));
    const ranks = [...new Set(cards.map(({ rank }) => rank))];
    const changes = {
      ...changedFields(null, { external_id: externalId, ...demographics }),
      insurances: notes,
      card_ranks: ranks,
    };
    return sql`(${id}, 1, 'created', ${json(changes)}, ${json(origin.actor)}, ${origin.source}, ${origin.reason},
      ${origin.requestId}, ${now})`;
  });
  await tx.run(sql`
    INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, reason, request_id, occurred_date)
    VALUES ${join(values)}`);
}
