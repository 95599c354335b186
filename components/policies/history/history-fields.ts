import { FIELD_GROUPS, type FieldInfo } from "@/components/policies/fields";

/** A field that the history shows: one that staff edit, or one that is set when something happens to the policy. */
export interface HistoryField {
  name: string;
  label: string;
  kind: FieldInfo["kind"] | "time" | "word";
}

function field(name: string, label: string, kind: HistoryField["kind"]): HistoryField {
  return { name, label, kind };
}

/** The IDs of the records behind a payer's and a plan's name. */
const REFERENCES: Record<string, HistoryField> = {
  carrier: field("insurance_company", "Payer record ID", "code"),
  plan: field("insurance_plan", "Plan record ID", "code"),
};

/** The fields of a policy's history, in the same order and with the same labels as on the policy's page. */
export const HISTORY_GROUPS: readonly { title: string; fields: readonly HistoryField[] }[] = [
  {
    title: "Policy",
    fields: [
      field("status", "Status", "word"),
      field("archived_date", "Archived", "time"),
      field("archive_reason", "Reason for archiving", "word"),
    ],
  },
  ...FIELD_GROUPS.map(({ title, fields }) => ({
    title,
    fields: fields.flatMap((info): HistoryField[] => {
      const reference = REFERENCES[info.name];
      const shown = info.name === "rank" ? field("rank", info.label, "word") : info;
      return reference ? [shown, reference] : [shown];
    }),
  })),
  {
    title: "Patient",
    fields: [
      field("patient_first_name", "Patient’s first name", "text"),
      field("patient_last_name", "Patient’s last name", "text"),
      field("patient_dob", "Patient’s date of birth", "date"),
      field("patient_insurance", "Legacy insurance ID", "code"),
    ],
  },
];

const LABELS = new Map<string, string>([
  ...HISTORY_GROUPS.flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)),
  ["card_images", "Card images"],
]);

const KINDS: Record<string, string> = {
  created: "Created",
  updated: "Changed",
  archived: "Archived",
  restored: "Restored",
  card_image_added: "Card image added",
  card_image_removed: "Card image deleted",
  card_images_moved: "Card images moved",
};

/** Says what kind of change a version is. */
export const changeKindText = (kind: string) => KINDS[kind] ?? kind.replaceAll("_", " ");

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
  if (version.kind === "created") return names.length === 1 ? "1 field set" : `${names.length} fields set`;
  const order = [...LABELS.keys()];
  return names
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((name) => LABELS.get(name) ?? name.replaceAll("_", " "))
    .join(", ");
}
