import { archiveReasonText } from "@/components/policies/archive-reasons";
import { fieldLabel, rankLabel } from "@/components/policies/fields";
import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";

/** Describes an entry in one line: what it is about, and what changed. */
export function describeEntry(entry: TimelineEntry): { subject: string; change: string } {
  const { policy } = entry;
  if (policy) return { subject: policy.carrier ?? `Policy ${policy.id}`, change: policyChange(entry, policy) };
  if (entry.kind === "insurances_changed") return { subject: "Legacy record:", change: legacyChange(entry) };
  const whole = entry.kind === "created" || entry.kind === "deleted";
  return { subject: whole ? "Patient record" : "Patient record:", change: patientChange(entry) };
}

function policyChange(entry: TimelineEntry, policy: NonNullable<TimelineEntry["policy"]>): string {
  switch (entry.kind) {
    case "created":
      return `added as ${rankName(policy.rank)}`;
    case "archived":
      return policy.archive_reason ? `archived: ${archiveReasonText(policy.archive_reason)}` : "archived";
    case "restored":
      return `restored as ${rankName(policy.rank)}`;
    case "removed":
      return "deleted permanently";
    case "card_image_added":
      return "card image added";
    case "card_image_removed":
      return "card image deleted";
    case "card_images_moved":
      return "card images moved";
    default:
      return fieldChange(entry);
  }
}

const LEGACY_CHANGES: Record<string, string> = { created: "added", ended: "ended" };

function legacyChange({ insurances }: TimelineEntry): string {
  const changes = insurances.map(({ rank, kind }) => `${rankName(rank)} coverage ${LEGACY_CHANGES[kind] ?? kind}`);
  return joinWords([...new Set(changes)]);
}

function patientChange(entry: TimelineEntry): string {
  switch (entry.kind) {
    case "created":
      return "created";
    case "deleted":
      return "deleted";
    case "cards_changed":
      return `${joinWords(entry.card_ranks.map(rankName))} card changed`;
    default:
      return fieldChange(entry);
  }
}

/** How many fields are named before the rest is counted. */
const MAX_NAMES = 3;

function fieldChange({ fields, change }: TimelineEntry): string {
  const [field] = fields;
  if (field === undefined) return "saved without changes";
  if (field === "rank" && change) return `moved from ${rankName(change.old)} to ${rankName(change.new)}`;
  if (change) return `${fieldName(field)} ${displayValue(change.old)} → ${displayValue(change.new)}`;
  const names = [...new Set(fields.map(fieldName))];
  const shown =
    names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES - 1), `${names.length - MAX_NAMES + 1} more`] : names;
  return `${joinWords(shown)} changed`;
}

const PATIENT_FIELDS: Record<string, string> = {
  dob: "date of birth",
  patient_dob: "patient’s date of birth",
  ssn: "SSN",
  primary_physician: "physician",
  caregiver_practice: "practice",
};

/** Names a field for the middle of a sentence. */
function fieldName(field: string): string {
  const label = PATIENT_FIELDS[field] ?? fieldLabel(field);
  if (label === field) return field.replaceAll("_", " ");
  // Keep acronyms and IDs in capitals.
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

const rankName = (rank: unknown) => rankLabel(typeof rank === "number" ? rank : null).toLowerCase();

const displayValue = (value: unknown) => (value === null || value === "" ? "nothing" : String(value));

/** Joins words: `a, b and c`. */
function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
