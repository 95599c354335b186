import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { INSURANCE_COLUMNS } from "@/lib/insurance/patients/queries";
import { chunks, type Db, insertInto, join, raw, sql } from "@/lib/platform/db/sql";
import type { InsuranceRow } from "./schema";

const UPDATED = INSURANCE_COLUMNS.filter(
  (column) => !["id", "patient_id", "practice_id", "policy_id"].includes(column),
);
const SET = raw(UPDATED.map((column) => `${column} = excluded.${column}`).join(", "));

/** Inserts or updates legacy insurances. Safe to repeat. */
export async function upsertInsurances(db: Db, rows: readonly InsuranceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.run(sql`${insertInto("patient_insurance", rows, INSURANCE_COLUMNS)} ON CONFLICT (id) DO UPDATE SET ${SET}`);
}

/** Ends current insurances for the moment, so that they can swap ranks without breaking the unique index. */
export async function vacateRanks(db: Db, ids: readonly number[], now: string): Promise<void> {
  if (ids.length === 0) return;
  await db.run(sql`UPDATE patient_insurance SET deleted_date = ${now} WHERE id IN (${join([...ids])})`);
}

/** Permanently deletes insurances. */
export async function removeInsurances(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.run(sql`DELETE FROM patient_insurance WHERE id IN (${join([...ids])})`);
}

/** Ends the card images of a rank that are no longer shown, and adds the new ones. */
export async function writeCards(
  write: PatientWrite,
  rank: number,
  before: readonly PlacedImage[],
  after: readonly PlacedImage[],
): Promise<void> {
  const place = (image: PlacedImage) => `${image.image_rank} ${image.image_key}`;
  const kept = new Set(after.map(place));
  const had = new Set(before.map(place));
  const ended = before.filter((image) => !kept.has(place(image)));
  if (ended.length > 0) {
    await write.tx.run(sql`
      UPDATE legacy_card SET ended_date = ${write.now}
      WHERE patient_id = ${write.patient.id} AND rank = ${rank} AND ended_date IS NULL
        AND side IN (${join(ended.map(({ image_rank }) => image_rank))})`);
  }
  const added = after.filter((image) => !had.has(place(image)));
  if (added.length === 0) return;
  await insertCards(
    write.tx,
    added.map((image) => ({ patient_id: write.patient.id, rank, ...image })),
  );
}

const CARD_COLUMNS = [
  "patient_id",
  "rank",
  "side",
  "image_key",
  "sha256",
  "content_type",
  "bytes",
  "width",
  "height",
  "created_date",
] as const;

/** Inserts card images at their ranks. */
export async function insertCards(
  db: Db,
  cards: readonly (PlacedImage & { patient_id: number; rank: number })[],
): Promise<void> {
  const rows = cards.map(({ image_rank: side, ...card }) => ({ ...card, side }));
  for (const part of chunks(rows, 1000)) await db.run(insertInto("legacy_card", part, CARD_COLUMNS));
}
