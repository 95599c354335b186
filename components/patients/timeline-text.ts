import { archiveReasonText } from "@/components/policies/archive-reasons";
import { fieldPhrase, rankPhrase } from "@/components/policies/fields";
import { unnamedPolicy } from "@/components/policies/messages/fields";
import { formatDay } from "@/components/ui/change-message";
import { capitalize, formatList } from "@/components/ui/format";
import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";
import { fieldChanges, patientFields, policyChanges, recordChanges } from "./messages/timeline";

/** Describes an entry in one line: the policy it is about, or null for the patient record, and what changed. */
export function describeEntry(entry: TimelineEntry): { subject: string | null; change: string } {
  const { policy } = entry;
  if (!policy) return { subject: null, change: recordChange(entry) };
  return { subject: policy.carrier ?? unnamedPolicy(policy.id), change: policyChange(entry, policy) };
}

function policyChange(entry: TimelineEntry, { rank, archive_reason }: NonNullable<TimelineEntry["policy"]>): string {
  switch (entry.kind) {
    case "created":
      return rank === null ? policyChanges.createdWithoutRank : policyChanges.created(rankPhrase(rank));
    case "archived":
      return archive_reason
        ? policyChanges.archivedBecause(archiveReasonText(archive_reason, rank))
        : policyChanges.archived;
    case "restored":
      return rank === null ? policyChanges.restoredWithoutRank : policyChanges.restored(rankPhrase(rank));
    case "removed":
      return policyChanges.deleted;
    case "card_image_added":
      return policyChanges.imageAdded;
    case "card_image_removed":
      return policyChanges.imageDeleted;
    case "card_images_moved":
      return policyChanges.imagesMoved;
    default:
      return fieldChange(entry);
  }
}

function recordChange(entry: TimelineEntry): string {
  switch (entry.kind) {
    case "created":
      return recordChanges.created;
    case "deleted":
      return recordChanges.deleted;
    case "insurances_changed":
      return recordChanges.legacy(legacyChange(entry));
    case "cards_changed":
      return recordChanges.cards(capitalize(formatList(entry.card_ranks.map(rankPhrase))), entry.card_ranks.length);
    default:
      return fieldChange(entry);
  }
}

function legacyChange({ insurances }: TimelineEntry): string {
  const changes = insurances.map(({ rank, kind }) => {
    if (kind === "created") return recordChanges.coverageAdded(rankPhrase(rank));
    return (kind === "updated" ? recordChanges.coverageChanged : recordChanges.coverageRemoved)(rankPhrase(rank));
  });
  const different = [...new Set(changes)];
  return formatList(different, different.length);
}

/** How many fields are named before the rest is counted. */
const MAX_NAMES = 2;

function fieldChange({ fields, change }: TimelineEntry): string {
  const [field] = fields;
  if (field === undefined) return fieldChanges.none;
  if (field === "rank" && change) return rankChange(toRank(change.old), toRank(change.new));
  if (change && !(isEmpty(change.old) && isEmpty(change.new))) {
    const name = capitalize(fieldName(field));
    if (isEmpty(change.old)) return fieldChanges.added(name, valueText(change.new));
    if (isEmpty(change.new)) return fieldChanges.removed(name, valueText(change.old));
    return fieldChanges.changed(name, valueText(change.old), valueText(change.new));
  }
  return fieldChanges.several(capitalize(formatList([...new Set(fields.map(fieldName))], MAX_NAMES)));
}

/** Formats a value of a field. Dates are calendar dates. */
function valueText(value: unknown): string {
  const text = String(value);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? formatDay(text) : text;
}

function rankChange(from: number | null, to: number | null): string {
  if (from === null) return policyChanges.rankGained(rankPhrase(to));
  return to === null ? policyChanges.rankLost(rankPhrase(from)) : policyChanges.moved(rankPhrase(from), rankPhrase(to));
}

const PATIENT_FIELDS: Record<string, string> = patientFields;

/** Names a field for the middle of a sentence. */
function fieldName(field: string): string {
  const phrase = PATIENT_FIELDS[field] ?? fieldPhrase(field);
  return phrase === field ? field.replaceAll("_", " ") : phrase;
}

const toRank = (value: unknown) => (typeof value === "number" ? value : null);

const isEmpty = (value: unknown) => value === null || value === "";
