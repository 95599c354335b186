import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { type PatientHistoryEntry, recordedFields } from "@/lib/insurance/patients/rules";
import { DETAIL_DEFAULTS } from "@/lib/insurance/patients/schema";
import { type Difference, Differences, type Side, type StoredPatient } from "@/lib/migration/plan/compare-stores";

const BETWEEN: [Side, Side] = ["version", "legacy"];
const ABOUT = { where: "patient", between: BETWEEN };

/** The history of a patient and of its policies, apart from their latest versions. */
export interface StoredHistory {
  /** Versions of the patient, oldest first. */
  patient: readonly PatientHistoryEntry[];
  /** The number of versions per policy. */
  counts: ReadonlyMap<number, number>;
}

/**
 * Compares a patient with its history. Every write of the application appends a version, so a field that differs from
 * its last recorded value was changed outside the application. Fields that no version mentions are not compared.
 */
export function comparePatientHistory(patient: StoredPatient, history: StoredHistory): Difference[] {
  const differences = new Differences();
  compareDemographics(patient, history.patient, differences);
  for (const { id, version } of patient.policies) {
    const where = `policy ${id}`;
    differences.compare(where, "versions", ["version", "policy"], [history.counts.get(id) ?? 0, version]);
  }
  compareCardTimes(patient, differences);
  return differences.found;
}

function compareDemographics(
  patient: StoredPatient,
  history: readonly PatientHistoryEntry[],
  differences: Differences,
): void {
  const [first, last] = [history[0], history.at(-1)];
  // Patients created before versions existed have none until they change.
  if (!first || !last) return;
  differences.compare("patient", "version", BETWEEN, [last.version, patient.version]);
  differences.compare("patient", "versions", BETWEEN, [last.version - first.version + 1, history.length]);
  differences.compare("patient", "last_modified", BETWEEN, [last.occurred_date, patient.last_modified]);
  const recorded = recordedFields(history);
  const { details } = patient;
  for (const [field, value] of recorded) {
    if (field === "details" || field === "deleted_date") continue;
    const present: unknown = Reflect.get(field in patient ? patient : details, field);
    // The first version records phones as sent, later versions as stored.
    const form = field === "phones" ? numbersOf : (one: unknown) => one ?? DETAIL_DEFAULTS[field];
    differences.compareParts(ABOUT, field, [form(value), form(present)]);
  }
  differences.compare("patient", "deleted_date", BETWEEN, [recorded.get("deleted_date"), patient.deleted_date]);
  for (const [at, { phone, digits }] of patient.phones.entries()) {
    differences.compare("patient", `phones[${at}].digits`, BETWEEN, [phone.replace(/\D/g, ""), digits]);
  }
}

function numbersOf(phones: unknown): unknown {
  if (!Array.isArray(phones)) return phones;
  return phones.map(({ phone, phone_type }) => ({ phone, phone_type }));
}

/** Compares the creation times of card images, which must be the same in both stores. */
function compareCardTimes({ cards, policies }: StoredPatient, differences: Differences): void {
  const latest = new Map(policies.flatMap(({ card_images }) => card_images.map((image) => [image.image_key, image])));
  for (const { rank, image_rank, image_key, created_date } of cards) {
    const image: PlacedImage | undefined = latest.get(image_key);
    if (!image) continue;
    const where = `card ${rank} ${image_rank}`;
    differences.compare(where, "created_date", ["legacy", "policy"], [created_date, image.created_date]);
  }
}
