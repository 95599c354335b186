import { DomainError, OverloadedError, ValidationError } from "@/lib/errors";
import type { CardImage } from "@/lib/insurance/card-image";
import { type InsuranceFields, pickInsurance } from "@/lib/insurance/fields";
import { toRank } from "@/lib/insurance/ranks";
import type { InsuranceToImport, PatientToImport } from "@/lib/patients/commands/import-patients";
import type { LegacyCardRow } from "@/lib/patients/queries";
import { sign } from "@/lib/signing";
import { forgetImage, processImage, storeImage } from "@/lib/storage/process-image";
import { describeProblems, lifetimeOf } from "../rules/read-record";
import type { LegacyInsurance, LegacyPatient } from "../schema/import";

/** The practice an export goes to: what ids of the other system mean in it. */
export interface Destination {
  practiceId: number;
  physicians: ReadonlyMap<number, number>;
  /** Who gets the patients of physicians unknown here. */
  firstPhysician: number;
  companies: ReadonlyMap<number, number>;
}

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
  const unknown = unknownCompanies(patient, destination);
  if (unknown.length > 0) return { reason: unknown.join("; ") };
  const { id, primary_physician: physician = null, created_date, insurance_cards: _cards, ...rest } = patient;
  const { insurances: current, deleted_insurances: past, deleted_date: _deleted, ...demographics } = rest;
  const known = physician === null ? undefined : destination.physicians.get(physician);
  const dropped = [...current, ...past].filter(({ insurance_plan: plan }) => plan);
  let cards: LegacyCardRow[];
  try {
    cards = await storeCards(source, destination.practiceId, now);
  } catch (error) {
    // A store that is out of reach is no fault of the line: the run stops, and goes on from here.
    if (!(error instanceof DomainError) || error instanceof OverloadedError) throw error;
    return { reason: error instanceof ValidationError ? describeProblems(error.fields) : error.message };
  }
  const insurances = [
    ...current.map((entry) => toImport(entry, true, destination, now)),
    ...past.map((entry) => toImport(entry, false, destination, now)),
  ];
  return {
    patient: {
      externalId: id,
      fingerprint,
      demographics: { ...demographics, primary_physician: known ?? destination.firstPhysician },
      createdDate: created_date && created_date < now ? created_date : now,
      insurances,
      cards,
    },
    notes: { unknownPhysician: known === undefined ? physician : null, droppedPlanIds: dropped.length },
  };
}

function unknownCompanies(patient: LegacyPatient, { companies }: Destination): string[] {
  return (["insurances", "deleted_insurances"] as const).flatMap((list) =>
    patient[list].flatMap(({ insurance_company: company }, at) =>
      !company || companies.has(company)
        ? []
        : [`${list}[${at}].insurance_company: No company ${company} in the companies file or the practice.`],
    ),
  );
}

function toImport(
  entry: LegacyInsurance,
  isCurrent: boolean,
  { companies }: Destination,
  now: string,
): InsuranceToImport {
  const { from, until } = lifetimeOf(entry, isCurrent, now);
  const company = entry.insurance_company ? (companies.get(entry.insurance_company) ?? null) : null;
  return {
    externalId: entry.id,
    rank: toRank(entry.rank),
    // A plan's id means nothing here, and an export tells no more of plans: the name in `plan` stays.
    fields: { ...pickInsurance(entry as Partial<InsuranceFields>), insurance_company: company, insurance_plan: null },
    createdDate: from,
    deletedDate: until,
  };
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
      const processed = await processImage(base64_content, field);
      const key = importedImageKey(`${practiceId} ${patient.id} ${fingerprint} ${rank} ${side}`);
      const image: CardImage = await storeImage(processed, now, key);
      stored.push({ rank, image_rank: side, ...image });
    }
  } catch (error) {
    await forgetCards(stored);
    throw error;
  }
  return stored;
}

/** Takes images that no record refers to out of the store again. */
export async function forgetCards(cards: readonly Pick<CardImage, "image_key">[]): Promise<void> {
  for (const { image_key } of cards) await forgetImage(image_key);
}

/**
 * A key that nobody can guess, and the same whenever this line is imported: what a killed import left in the store is
 * overwritten by the next one, never left behind.
 */
export function importedImageKey(place: string): string {
  const bytes = Buffer.from(sign("imported-card", place), "base64url").subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
