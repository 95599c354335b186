import {
  bulletsOf,
  drugNameOf,
  endOfMedication,
  shownSign,
  signsOf,
  takenAt,
  vaccineNameOf,
} from "@/lib/api/documents/chart/rules";
import type { ChartRecords, VisitNote } from "@/lib/api/documents/chart/schema";
import type { Block } from "./schema";
import { type Calendar, factsOf } from "./words";

/** Categories in the order a note is read in, each as it is headed. */
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

export interface VisitSurroundings {
  calendar: Calendar;
  physician: string;
}

/** A visit: when and with whom, then what was noted, by category. */
export function visitBlocks(note: Partial<VisitNote>, { calendar, physician }: VisitSurroundings): Block[] {
  const facts = factsOf([
    ["Date of visit", calendar.time(note.document_date)],
    ["Physician", physician],
    ["Visit", note.type],
  ]);
  return [{ kind: "facts", facts }, ...categoryBlocks(note), ...checklistBlocks(note)];
}

function categoryBlocks(note: Partial<VisitNote>): Block[] {
  const order = Object.keys(CATEGORIES);
  const grouped = new Map<string, string[]>();
  const sorted = bulletsOf(note).sort((a, b) => order.indexOf(a.category ?? "") - order.indexOf(b.category ?? ""));
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

function checklistBlocks({ checklists = {} }: Partial<VisitNote>): Block[] {
  return Object.entries(checklists).flatMap(([name, entries]): Block[] => {
    const facts = factsOf([...entries].sort(bySequence).map(({ name: label = "", value }) => [label, value] as const));
    if (facts.length === 0) return [];
    return [
      { kind: "heading", text: name },
      { kind: "facts", facts },
    ];
  });
}

const bySequence = (a: { sequence?: number }, b: { sequence?: number }) => (a.sequence ?? 0) - (b.sequence ?? 0);

/** What the patient has and takes, at the end of a clinical summary. */
export function backgroundBlocks(records: ChartRecords, calendar: Calendar, today: string): Block[] {
  return [
    ...section("Active problems", problemsOf(records, calendar)),
    ...section("Current medications", medicationsOf(records, today)),
    ...section("Allergies and intolerances", allergiesOf(records)),
    ...section("Immunizations given", immunizationsOf(records, calendar)),
    ...vitalBlocks(records, calendar),
  ];
}

function section(heading: string, items: readonly string[]): Block[] {
  return [
    { kind: "heading", text: heading },
    items.length > 0 ? { kind: "list", items } : { kind: "paragraph", text: "None on record." },
  ];
}

function problemsOf({ problems }: ChartRecords, calendar: Calendar): string[] {
  return problems
    .filter(({ data }) => data.status !== "Resolved")
    .map(({ data }) =>
      [data.description, data.start_date && `since ${calendar.day(data.start_date)}`].filter(Boolean).join(", "),
    );
}

function medicationsOf(records: ChartRecords, today: string): string[] {
  const isTaken = (entry: ChartRecords["medications"][number]) => {
    const end = endOfMedication(records, entry);
    return entry.data.medication_type !== "discontinued" && (end === null || end > today);
  };
  return records.medications
    .filter(isTaken)
    .map(({ data }) => [drugNameOf(data.medication ?? {}), data.directions].filter(Boolean).join(": "));
}

function allergiesOf({ allergies, drugIntolerances, allergyDocumentation }: ChartRecords): string[] {
  const told = (name: string | undefined, more: readonly (string | null | undefined)[]) => {
    const details = more.filter(Boolean).join(", ");
    return details ? `${name ?? ""} (${details})` : (name ?? "");
  };
  const found = [
    ...allergies
      .filter(({ data }) => data.status !== "Inactive")
      .map(({ data }) => told(data.name, [data.reaction, data.severity === "unknown" ? null : data.severity])),
    ...drugIntolerances
      .filter(({ data }) => data.status !== 2)
      .map(({ data }) => told(data.name, ["intolerance", data.reaction])),
  ];
  if (found.length === 0 && allergyDocumentation.length > 0) return ["No known allergies"];
  return found;
}

function immunizationsOf({ immunizations }: ChartRecords, calendar: Calendar): string[] {
  return immunizations.map(({ data }) =>
    [vaccineNameOf(data), calendar.day(data.administered_date)].filter(Boolean).join(", "),
  );
}

/** The vital signs of the visit, or else the last ones. */
function vitalBlocks({ vitals }: ChartRecords, calendar: Calendar): Block[] {
  const [taken] = vitals;
  const facts = taken ? signsOf(taken.data).map((sign) => [sign.name, shownSign(sign)] as const) : [];
  if (!taken || facts.length === 0) return section("Vital signs", []);
  return [
    { kind: "heading", text: `Vital signs, ${calendar.time(takenAt(taken))}` },
    { kind: "facts", facts: factsOf(facts) },
  ];
}
