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

/** A patient ready to be written, its card images in the store; `notes` is what was not taken over as it stood. */
export interface PreparedPatient {
  patient: PatientToImport;
  notes: { unknownPhysician: number | null; droppedPlanIds: number };
}

/**
 * Brings a patient that was read into the form of this system: ids mapped, card images decoded and kept.
 *
 * @returns or why its line is refused
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
    // A store that is out of reach is no fault of the line: the run stops, and goes on from here.
    if (!(error instanceof DomainError) || error instanceof OverloadedError) throw error;
    return { reason: error instanceof ValidationError ? describeProblems(error.fields) : error.message };
  }
  return {
    patient: { ...targetPatient(patient, destination, now), fingerprint, cards },
    notes: { unknownPhysician: isUnknown ? physician : null, droppedPlanIds: dropped.length },
  };
}

/** A patient with its card images in full, from their bytes by place: `rank side`. */
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
  // One after the other: decoding an image of 40 megapixels takes its memory.
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

/** Takes images that no record refers to out of the store again. */
export async function forgetCards(cards: readonly Pick<StoredImage, "image_key">[]): Promise<void> {
  for (const { image_key } of cards) await discardImage(image_key);
}

/**
 * A key that nobody can guess, and the same whenever this line is imported: what a killed import left in the store is
 * overwritten by the next one, never left behind.
 */
export function importedImageKey(place: string): string {
  const bytes = Buffer.from(sign("imported-card", place), "base64url").subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
