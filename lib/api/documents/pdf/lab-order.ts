import type { LabOrder } from "@/lib/api/documents/chart/schema";
import { type FormContext, formatPhone, nonEmptyFacts } from "./format";
import type { Block } from "./schema";

const FASTING: Readonly<Record<string, string>> = {
  fasting_12_hour: "12 hours",
  fasting_8_hours: "8 hours",
  fasting_2_hours: "2 hours",
  fasting_none: "Not fasting",
  fasting_random: "Random",
};
const STAT: Readonly<Record<string, string>> = {
  wet_reading_phone: "Wet reading, by phone",
  wet_reading_fax: "Wet reading, by fax",
  stat_phone: "STAT, by phone",
  stat_fax: "STAT, by fax",
  stat_phone_fax: "STAT, by phone and fax",
};
const BILLED: Readonly<Record<string, string>> = {
  thirdparty: "Third party",
  patient: "Patient",
  client: "Client",
  workerscomp: "Workers' compensation",
  specialbilling: "Special billing",
};

/** Returns the content of a laboratory order: dates and people, tests with their diagnoses, answers, and instructions. */
export function labOrderBlocks(order: LabOrder, context: FormContext): Block[] {
  const { patient_instructions: instructions, test_center_notes: notes } = order.content ?? {};
  return [
    { kind: "facts", facts: orderFacts(order, context) },
    ...testBlocks(order),
    ...answerBlocks(order),
    ...textBlocks("Instructions for the patient", instructions),
    ...textBlocks("Notes for the laboratory", notes),
  ];
}

function orderFacts(order: LabOrder, { format, physician, vendor }: FormContext) {
  const { content = {}, site } = order;
  const place = [
    site?.name,
    site?.address,
    [site?.city, site?.state, site?.zip].filter(Boolean).join(" "),
    site?.phone && formatPhone(site.phone),
  ];
  const laboratory = vendor || site?.vendor?.display_name || order.facility?.vendor?.display_name;
  return nonEmptyFacts([
    ["Order date", format.date(order.document_date)],
    ["Test date", format.date(order.test_date)],
    ["Ordering physician", physician],
    ["Laboratory", laboratory],
    ["Where to go", place.filter(Boolean).join("\n")],
    ["Requisition", order.requisition === undefined ? "" : String(order.requisition)],
    ["Collected", format.dateTime(content.collection_datetime)],
    ["Fasting", FASTING[content.fasting_method ?? ""]],
    ["Priority", STAT[content.stat_method ?? ""]],
    ["Standing order", content.standing_order_frequency],
    ["Standing order ends", format.date(content.standing_order_end_date)],
    ["Billed to", BILLED[order.bill_type ?? ""]],
    ["Follow-up", order.follow_up_method],
  ]);
}

type LabOrderContent = NonNullable<LabOrder["content"]>;

function testBlocks({ content }: LabOrder): Block[] {
  const columns = [
    { title: "Test", share: 45 },
    { title: "Code", share: 15 },
    { title: "Diagnoses", share: 40 },
  ];
  const tests = content?.tests ?? [];
  const rows = tests.map(({ name, code, icd10_codes }) => ({
    cells: [name ?? "", code ?? "", formatDiagnoses(icd10_codes)],
  }));
  const shared = formatDiagnoses(content?.icd10_codes);
  return [
    { kind: "heading", text: "Tests" },
    rows.length > 0 ? { kind: "table", columns, rows } : { kind: "paragraph", text: "No tests." },
    ...textBlocks("Diagnoses", shared),
  ];
}

function formatDiagnoses(diagnoses: LabOrderContent["icd10_codes"]): string {
  return (diagnoses ?? []).map(({ code, description }) => [code, description].filter(Boolean).join(" ")).join("\n");
}

/** Returns the answers to the laboratory's questions. If the order doesn't contain the question, its number is shown. */
function answerBlocks({ answers, content }: LabOrder): Block[] {
  if (!answers || answers.length === 0) return [];
  const questions = new Map(
    (content?.tests ?? []).flatMap(({ questions: asked = [] }) =>
      asked.map(({ question }) => [question?.id, question?.value] as const),
    ),
  );
  const rows = answers.map(({ question, value }) => ({
    cells: [questions.get(question) ?? `Question ${question ?? ""}`, value ?? ""],
  }));
  const columns = [
    { title: "Question", share: 60 },
    { title: "Answer", share: 40 },
  ];
  return [
    { kind: "heading", text: "Answers" },
    { kind: "table", columns, rows },
  ];
}

function textBlocks(heading: string, text: string | null | undefined): Block[] {
  if (!text?.trim()) return [];
  return [
    { kind: "heading", text: heading },
    { kind: "paragraph", text },
  ];
}
