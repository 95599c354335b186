import { FIELD_GROUPS, type FieldInfo } from "@/components/policies/fields";
import { capitalize } from "@/components/ui/format";
import { changeKinds, historyFields, versionList } from "../messages/history";

/** A field that the history shows: one that staff edit, or one that is set when something happens to the policy. */
export interface HistoryField {
  name: string;
  label: string;
  kind: FieldInfo["kind"] | "time" | "word";
}

function field(name: keyof typeof historyFields, kind: HistoryField["kind"]): HistoryField {
  return { name, label: historyFields[name], kind };
}

/** The IDs of the records behind a payer's and a plan's name. */
const REFERENCES: Record<string, HistoryField> = {
  carrier: field("insurance_company", "code"),
  plan: field("insurance_plan", "code"),
};

/** The fields of a policy's history, in the same order and with the same labels as on the policy's page. */
export const HISTORY_GROUPS: readonly { title: string; fields: readonly HistoryField[] }[] = [
  {
    title: historyFields.policyGroup,
    fields: [field("status", "word"), field("archived_date", "time"), field("archive_reason", "word")],
  },
  ...FIELD_GROUPS.map(({ title, fields }) => ({
    title,
    fields: fields.flatMap((info): HistoryField[] => {
      const reference = REFERENCES[info.name];
      const shown: HistoryField = info.name === "rank" ? { ...info, kind: "word" } : info;
      return reference ? [shown, reference] : [shown];
    }),
  })),
  {
    title: historyFields.patientGroup,
    fields: [
      field("patient_first_name", "text"),
      field("patient_last_name", "text"),
      field("patient_dob", "date"),
      field("patient_insurance", "code"),
    ],
  },
];

const LABELS = new Map<string, string>([
  ...HISTORY_GROUPS.flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)),
  ["card_images", historyFields.cardImages],
]);

const FIELDS = new Map(HISTORY_GROUPS.flatMap(({ fields }) => fields.map((one) => [one.name, one] as const)));

/** Returns how a field is shown. A field that the history does not show has its name as words for a label. */
export function historyFieldOf(name: string): HistoryField {
  const words = name
    .replace(/_date$/, "")
    .replaceAll("_", " ")
    .replace(/\bid$/, "ID");
  return FIELDS.get(name) ?? { name, label: capitalize(words), kind: name.endsWith("_date") ? "time" : "text" };
}

const ORDER = [...LABELS.keys()];
const placeOf = (name: string) => (LABELS.has(name) ? ORDER.indexOf(name) : ORDER.length);

/** Compares two names of fields for sorting: as on the policy's page, with fields that are not shown there at the end. */
export const compareFields = (a: string, b: string) => placeOf(a) - placeOf(b);

const KINDS: Record<string, { label: string; phrase: string }> = changeKinds;

/** Says what kind of change a version is. */
export const changeKindText = (kind: string) => KINDS[kind]?.label ?? kind.replaceAll("_", " ");

/** Says what kind of change a version is, for the middle of a sentence. */
export const changeKindPhrase = (kind: string) => KINDS[kind]?.phrase ?? kind.replaceAll("_", " ");

/** Fields that change along with others and are omitted from summaries. */
const HIDDEN = new Set([
  "id",
  "patient",
  "practice",
  "created_date",
  "patient_insurance",
  "archived_date",
  "insurance_company",
  "insurance_plan",
]);

/** Lists the fields that a version changed; empty if it changed none. */
export function changeSummary(version: { kind: string; changes: Record<string, unknown> }): string {
  const names = Object.keys(version.changes).filter((name) => !HIDDEN.has(name));
  if (version.kind === "created") return versionList.fieldsSet(names.length);
  return names
    .sort(compareFields)
    .map((name) => LABELS.get(name) ?? name.replaceAll("_", " "))
    .join(", ");
}
