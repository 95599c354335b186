import { FIELD_GROUPS, type FieldInfo } from "@/components/policies/fields";

/** A field of a policy as its history shows it: one that is edited, or one that comes with what happens to the policy. */
export interface HistoryField {
  name: string;
  label: string;
  kind: FieldInfo["kind"] | "time" | "word";
}

const field = (name: string, label: string, kind: HistoryField["kind"]): HistoryField => ({ name, label, kind });

/** Ids that go with a name: the company of a carrier, the plan of a plan's name. */
const IDS: Record<string, HistoryField> = {
  carrier: field("insurance_company", "Carrier, its record", "code"),
  plan: field("insurance_plan", "Plan, its record", "code"),
};

/** Fields of a policy's history, in the order and the words of the policy's page. */
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
      const id = IDS[info.name];
      const shown = info.name === "rank" ? field("rank", info.label, "word") : info;
      return id ? [shown, id] : [shown];
    }),
  })),
  {
    title: "Patient",
    fields: [
      field("patient_first_name", "Patient’s first name", "text"),
      field("patient_last_name", "Patient’s last name", "text"),
      field("patient_dob", "Patient’s date of birth", "date"),
      field("patient_insurance", "Legacy insurance, its id", "code"),
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

/** What a version did. */
export const changeKindText = (kind: string) => KINDS[kind] ?? kind.replaceAll("_", " ");

/** Bookkeeping that goes with a version without being what it is about. */
const BESIDE = new Set([
  "id",
  "patient",
  "practice",
  "created_date",
  "patient_insurance",
  "archived_date",
  "insurance_company",
  "insurance_plan",
]);

/** Which fields a version changed, in one line; empty where it changed none. */
export function changeSummary(version: { kind: string; changes: Record<string, unknown> }): string {
  const names = Object.keys(version.changes).filter((name) => !BESIDE.has(name));
  if (version.kind === "created") return names.length === 1 ? "1 field set" : `${names.length} fields set`;
  const order = [...LABELS.keys()];
  return names
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((name) => LABELS.get(name) ?? name.replaceAll("_", " "))
    .join(", ");
}
