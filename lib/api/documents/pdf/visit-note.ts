import {
  currentBullets,
  formatDrugName,
  formatVaccineName,
  formatVitalSign,
  listVitalSigns,
  measuredAt,
  medicationEndDate,
} from "@/lib/api/documents/chart/format";
import type { ChartRecords, VisitNote } from "@/lib/api/documents/chart/schema";
import { type Formatter, nonEmptyFacts } from "./format";
import type { Block } from "./schema";

/** Headings of the categories, in the order in which people read a note. */
const CATEGORIES: Readonly<Record<string, string>> = {
  Reason: "Reason for visit",
  Hpi: "History of present illness",
  Narrative: "Narrative",
  ElationNoteColOne: "Notes",
  ElationNoteColTwo: "Notes",
  Past: "Past medical history",
  Surgical: "Surgical history",
  Family: "Family history",
  Social: "Social history",
  Habits: "Habits",
  Allergies: "Allergies",
  Med: "Medications",
  ROS: "Review of systems",
  Objective: "Objective",
  PE: "Physical exam",
  Data: "Data",
  Test: "Tests",
  Dateprocedure: "Date of procedure",
  Procedure: "Procedure",
  Problem: "Problems",
  Assessment: "Assessment",
  Assessplan: "Assessment and plan",
  Plan: "Plan",
  Orders: "Orders",
  Tx: "Treatment",
  Instr: "Instructions",
  Followup: "Follow-up",
  Attending: "Attending",
  Consultant: "Consultant",
  Referenced: "Referenced",
  ElationNoteCustomBlock: "Other",
  ElationNoteOtherData: "Other",
};

export interface VisitContext {
  format: Formatter;
  physician: string;
}

/** Returns the content of a visit: date and physician, then the notes by category. */
export function visitBlocks(note: VisitNote, { format, physician }: VisitContext): Block[] {
  const facts = nonEmptyFacts([
    ["Date of visit", format.dateTime(note.document_date)],
    ["Physician", physician],
    ["Visit", note.type],
  ]);
  return [{ kind: "facts", facts }, ...categoryBlocks(note), ...checklistBlocks(note)];
}

function categoryBlocks(note: VisitNote): Block[] {
  const order = Object.keys(CATEGORIES);
  const grouped = new Map<string, string[]>();
  const sorted = currentBullets(note).sort((a, b) => order.indexOf(a.category ?? "") - order.indexOf(b.category ?? ""));
  for (const { category = "", text = "" } of sorted) {
    const heading = CATEGORIES[category] ?? (category || "Other");
    const items = grouped.get(heading) ?? [];
    items.push(text);
    grouped.set(heading, items);
  }
  if (grouped.size === 0) return [{ kind: "paragraph", text: "Nothing was noted." }];
  return [...grouped].flatMap(([heading, items]): Block[] => [
    { kind: "heading", text: heading },
    { kind: "list", items },
  ]);
}

function checklistBlocks({ checklists = {} }: VisitNote): Block[] {
  return Object.entries(checklists).flatMap(([name, entries]): Block[] => {
    const facts = nonEmptyFacts(
      [...(entries ?? [])].sort(bySequence).map(({ name: label = "", value }) => [label, value] as const),
    );
    if (facts.length === 0) return [];
    return [
      { kind: "heading", text: name },
      { kind: "facts", facts },
    ];
  });
}

interface Sequenced {
  sequence?: number | undefined;
}

const bySequence = (a: Sequenced, b: Sequenced) => (a.sequence ?? 0) - (b.sequence ?? 0);

/** Returns the parts that a clinical summary adds to the visit. */
export function summaryBlocks(records: ChartRecords, format: Formatter, today: string): Block[] {
  return [
    ...section("Active problems", problemLines(records, format)),
    ...section("Current medications", medicationLines(records, today)),
    ...section("Allergies and intolerances", allergyLines(records)),
    ...section("Immunizations given", immunizationLines(records, format)),
    ...vitalBlocks(records, format),
  ];
}

function section(heading: string, items: readonly string[]): Block[] {
  return [
    { kind: "heading", text: heading },
    items.length > 0 ? { kind: "list", items } : { kind: "paragraph", text: "None on record." },
  ];
}

function problemLines({ problems }: ChartRecords, format: Formatter): string[] {
  return problems
    .filter(({ data }) => data.status !== "Resolved")
    .map(({ data }) =>
      [data.description, data.start_date && `since ${format.date(data.start_date)}`].filter(Boolean).join(", "),
    );
}

function medicationLines(records: ChartRecords, today: string): string[] {
  const isTaken = (entry: ChartRecords["medications"][number]) => {
    const end = medicationEndDate(records, entry);
    return end === null || end > today;
  };
  return records.medications
    .filter(isTaken)
    .map(({ data }) => [formatDrugName(data.medication ?? {}), data.directions].filter(Boolean).join(": "));
}

function allergyLines({ allergies, drugIntolerances, allergyDocumentation }: ChartRecords): string[] {
  const describe = (name: string | undefined, more: readonly (string | null | undefined)[]) => {
    const details = more.filter(Boolean).join(", ");
    return details ? `${name ?? ""} (${details})` : (name ?? "");
  };
  const found = [
    ...allergies
      .filter(({ data }) => data.status !== "Inactive")
      .map(({ data }) => describe(data.name, [data.reaction, data.severity === "unknown" ? null : data.severity])),
    ...drugIntolerances
      .filter(({ data }) => data.status !== 2)
      .map(({ data }) => describe(data.name, ["intolerance", data.reaction])),
  ];
  if (found.length === 0 && allergyDocumentation.length > 0) return ["No known allergies"];
  return found;
}

function immunizationLines({ immunizations }: ChartRecords, format: Formatter): string[] {
  return immunizations.map(({ data }) =>
    [formatVaccineName(data), format.date(data.administered_date)].filter(Boolean).join(", "),
  );
}

/** Returns the vital signs of the visit, or the newest ones if the visit has none. */
function vitalBlocks({ vitals }: ChartRecords, format: Formatter): Block[] {
  const [taken] = vitals;
  const facts = taken ? listVitalSigns(taken.data).map((sign) => [sign.name, formatVitalSign(sign)] as const) : [];
  if (!taken || facts.length === 0) return section("Vital signs", []);
  return [
    { kind: "heading", text: `Vital signs, ${format.dateTime(measuredAt(taken))}` },
    { kind: "facts", facts: nonEmptyFacts(facts) },
  ];
}
