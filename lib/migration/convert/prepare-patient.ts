import type { LegacyCardRow } from "@/lib/insurance/patients/queries";
import type { PatientToImport } from "@/lib/insurance/patients/rules";
import { type Destination, targetPatient } from "@/lib/migration/plan/target-patient";
import type { LegacyPatient } from "@/lib/migration/record/schema";
import type { StagedPatient } from "@/lib/migration/record/staged-record";
import { DomainError, OverloadedError, ValidationError } from "@/lib/platform/errors";
import { describeProblems } from "@/lib/platform/files/parse-record";
import { sign } from "@/lib/platform/signing";
import { discardImage, processImage, storeImage } from "@/lib/platform/storage/process-image";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A patient ready to be written, with its card images stored; `notes` lists values that were not imported. */
export interface PreparedPatient {
  patient: PatientToImport;
  notes: { unknownPhysician: number | null; droppedPlanIds: number };
}

/**
 * Maps the ids of a patient and stores its card images.
 *
 * @returns the patient, or why it is refused
 */
export async function preparePatient(
  source: { patient: LegacyPatient; fingerprint: string },
  destination: Destination,
  now: string,
): Promise<PreparedPatient | { reason: string }> {
  const { patient, fingerprint } = source;
  const { insurances: current, deleted_insurances: past, primary_physician: physician = null } = patient;
  const isUnknown = physician !== null && !destination.physicians.has(physician);
  const dropped = [...current, ...past].filter(({ insurance_plan: plan }) => plan);
  let cards: LegacyCardRow[];
  try {
    cards = await storeCards(source, destination.practiceId, now);
  } catch (error) {
    // An unreachable store is not the record's fault: the run stops and resumes from here.
    if (!(error instanceof DomainError) || error instanceof OverloadedError) throw error;
    return { reason: error instanceof ValidationError ? describeProblems(error.fields) : error.message };
  }
  return {
    patient: { ...targetPatient(patient, destination, now), fingerprint, cards },
    notes: { unknownPhysician: isUnknown ? physician : null, droppedPlanIds: dropped.length },
  };
}

/** Adds the bytes of card images, keyed by `rank side`, to a patient. */
export function withImages(
  patient: StagedPatient,
  images: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): LegacyPatient {
  const cards = patient.insurance_cards.map(({ rank, images: places }) => ({
    rank,
    images: places.flatMap(({ side }) => {
      const base64_content = images.get(`${rank} ${side}`);
      return base64_content ? [{ side, base64_content }] : [];
    }),
  }));
  return { ...patient, insurance_cards: cards };
}

async function storeCards(
  { patient, fingerprint }: { patient: LegacyPatient; fingerprint: string },
  practiceId: number,
  now: string,
): Promise<LegacyCardRow[]> {
  const places = patient.insurance_cards.flatMap(({ rank, images }, card) =>
    images.map((image, at) => ({ rank, ...image, field: `insurance_cards[${card}].images[${at}]` })),
  );
  places.sort((a, b) => a.rank - b.rank || a.side - b.side);
  // One at a time, because decoding a 40-megapixel image takes much memory.
  const stored: LegacyCardRow[] = [];
  try {
    for (const { rank, side, base64_content, field } of places) {
      const processed = await processImage(base64_content, { field });
      const key = importedImageKey(`${practiceId} ${patient.id} ${fingerprint} ${rank} ${side}`);
      const image: StoredImage = await storeImage(processed, now, key);
      stored.push({ rank, image_rank: side, ...image });
    }
  } catch (error) {
    await forgetCards(stored);
    throw error;
  }
  return stored;
}

/** Deletes stored images that no record refers to. */
export async function forgetCards(cards: readonly Pick<StoredImage, "image_key">[]): Promise<void> {
  for (const { image_key } of cards) await discardImage(image_key);
}

/**
 * Returns an unguessable image key that is the same on every import of a record, so that the next import overwrites
 * images left by a killed one.
 */
export function importedImageKey(place: string): string {
  const bytes = Buffer.from(sign("imported-card", place), "base64url").subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
