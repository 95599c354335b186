import { archiveReasonText } from "@/components/policies/archive-reasons";
import { fieldLabel, rankLabel } from "@/components/policies/fields";
import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";

const rankIn = (rank: number | null) => rankLabel(rank).toLowerCase();

/** What an entry of the timeline is about, and what happened to it, in one line. */
export function describeEntry(entry: TimelineEntry): { what: string; happened: string } {
  const { policy } = entry;
  if (policy) return { what: policy.carrier ?? `Policy ${policy.id}`, happened: policyWords(entry, policy) };
  if (entry.kind === "insurances_changed") return { what: "Legacy insurances:", happened: noteWords(entry) };
  return { what: "Patient record", happened: recordWords(entry) };
}

function policyWords(entry: TimelineEntry, policy: NonNullable<TimelineEntry["policy"]>): string {
  switch (entry.kind) {
    case "created":
      return `added as ${rankIn(policy.rank)}`;
    case "archived":
      return policy.archive_reason ? `archived: ${archiveReasonText(policy.archive_reason)}` : "archived";
    case "restored":
      return `restored as ${rankIn(policy.rank)}`;
    case "removed":
      return "deleted permanently";
    case "card_image_added":
      return "card image added";
    case "card_image_removed":
      return "card image deleted";
    case "card_images_moved":
      return "card images moved";
    default:
      return fieldWords(entry);
  }
}

const NOTES: Record<string, string> = { created: "begun", updated: "updated", ended: "ended", removed: "removed" };

function noteWords({ insurances }: TimelineEntry): string {
  const notes = insurances.map(({ rank, kind }) => `${rankIn(rank)} ${NOTES[kind] ?? kind}`);
  return list([...new Set(notes)]);
}

function recordWords(entry: TimelineEntry): string {
  switch (entry.kind) {
    case "created":
      return "created";
    case "deleted":
      return "deleted";
    case "cards_changed":
      return `shows another card as ${list(entry.card_ranks.map(rankIn))}`;
    default:
      return fieldWords(entry);
  }
}

/** Names said before the rest is counted. */
const MOST = 3;

function fieldWords({ fields, change }: TimelineEntry): string {
  const [field] = fields;
  if (field === undefined) return "saved without changes";
  if (field === "rank" && change) {
    return `moved from ${rankIn(change.old as number | null)} to ${rankIn(change.new as number | null)}`;
  }
  if (change) return `${labelIn(field)} ${valueIn(change.old)} → ${valueIn(change.new)}`;
  const names = [...new Set(fields.map(labelIn))];
  const said = names.length > MOST ? [...names.slice(0, MOST - 1), `${names.length - MOST + 1} more`] : names;
  return `${list(said)} changed`;
}

const OTHER_LABELS: Record<string, string> = {
  dob: "date of birth",
  patient_dob: "patient’s date of birth",
  ssn: "SSN",
  primary_physician: "physician",
  caregiver_practice: "practice",
};

function labelIn(field: string): string {
  const label = OTHER_LABELS[field] ?? fieldLabel(field);
  if (label === field) return field.replaceAll("_", " ");
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

const valueIn = (value: unknown) => (value === null || value === "" ? "nothing" : String(value));

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
