import { allergiesContent } from "./allergies";
import { encountersContent } from "./encounters";
import { renderHeader } from "./header";
import { familyHistoryContent, historiesContent, socialHistoryContent } from "./histories";
import { immunizationsContent } from "./immunizations";
import { medicationsContent } from "./medications";
import { noteContent } from "./notes";
import { payersContent } from "./payers";
import { limitToPeriod } from "./period";
import { interventionsContent, planContent } from "./plans";
import { healthConcernsContent, problemsContent } from "./problems";
import { resultsContent } from "./results";
import type { CcdaInput, Cell, SectionContent, SectionName, Table, Xml } from "./schema";
import { TEMPLATE_DEFINITIONS } from "./templates";
import { vitalSignsContent } from "./vital-signs";
import { coded, nullFlavor, serializeXml, templateId } from "./xml";

/**
 * Renders a patient's chart as a C-CDA R2.1 document in XML. It has the sections that its template requires and the others that
 * were requested. A required section that was not requested is empty.
 */
export function renderCcda({ chart, context }: CcdaInput): string {
  const input = { chart: limitToPeriod(chart, context.period), context };
  const { required, offered } = TEMPLATE_DEFINITIONS[context.template];
  const isRequested = (name: (typeof offered)[number]) => context.sections?.includes(name) ?? true;
  const sections = [...required, ...offered.filter(isRequested)];
  return serializeXml("ClinicalDocument", {
    ...renderHeader(input),
    component: {
      structuredBody: {
        component: sections.map((name) => ({ section: renderSection(name, input, isRequested(name)) })),
      },
    },
  });
}

interface SectionDefinition {
  template: readonly Xml[];
  loinc: [code: string, name: string];
  title: string;
  content(input: CcdaInput): SectionContent | null;
}

const CCDA = "2.16.840.1.113883.10.20";
const IHE = "1.3.6.1.4.1.19376.1.5.3.1";
const nothing = () => null;

/** The sections that documents can have. Where C-CDA has a template with required entries, it is that one. */
const SECTION_DEFINITIONS: Readonly<Record<SectionName, SectionDefinition>> = {
  allergies: {
    template: templateId(`${CCDA}.22.2.6.1`, "2015-08-01"),
    loinc: ["48765-2", "Allergies and adverse reactions Document"],
    title: "Allergies and Intolerances",
    content: allergiesContent,
  },
  assessment: {
    template: templateId(`${CCDA}.22.2.8`),
    loinc: ["51848-0", "Evaluation note"],
    title: "Assessment",
    content: noteContent(["Assessment", "Assessplan"]),
  },
  encounters: {
    template: templateId(`${CCDA}.22.2.22`, "2015-08-01"),
    loinc: ["46240-8", "History of Hospitalizations+Outpatient visits Narrative"],
    title: "Encounters",
    content: encountersContent,
  },
  family_history: {
    template: templateId(`${CCDA}.22.2.15`, "2015-08-01"),
    loinc: ["10157-6", "History of family member diseases Narrative"],
    title: "Family History",
    content: familyHistoryContent,
  },
  functional_status: {
    template: templateId(`${CCDA}.22.2.14`, "2014-06-09"),
    loinc: ["47420-5", "Functional status assessment note"],
    title: "Functional Status",
    content: historiesContent(["Functional Status"]),
  },
  goals: {
    template: templateId(`${CCDA}.22.2.60`),
    loinc: ["61146-7", "Goals Narrative"],
    title: "Goals",
    content: nothing,
  },
  health_concerns: {
    template: templateId(`${CCDA}.22.2.58`, "2015-08-01"),
    loinc: ["75310-3", "Health concerns Document"],
    title: "Health Concerns",
    content: healthConcernsContent,
  },
  history_of_present_illness: {
    template: templateId(`${IHE}.3.4`),
    loinc: ["10164-2", "History of Present illness Narrative"],
    title: "History of Present Illness",
    content: noteContent(["Hpi", "Narrative"]),
  },
  immunizations: {
    template: templateId(`${CCDA}.22.2.2.1`, "2015-08-01"),
    loinc: ["11369-6", "History of Immunization Narrative"],
    title: "Immunizations",
    content: immunizationsContent,
  },
  interventions: {
    template: templateId(`${CCDA}.21.2.3`, "2015-08-01"),
    loinc: ["62387-6", "Interventions Narrative"],
    title: "Interventions",
    content: interventionsContent,
  },
  medications: {
    template: templateId(`${CCDA}.22.2.1.1`, "2014-06-09"),
    loinc: ["10160-0", "History of Medication use Narrative"],
    title: "Medications",
    content: medicationsContent,
  },
  mental_status: {
    template: templateId(`${CCDA}.22.2.56`, "2015-08-01"),
    loinc: ["10190-7", "Mental status Narrative"],
    title: "Mental Status",
    content: historiesContent(["Cognitive Status", "Psychological"]),
  },
  objective: {
    template: templateId(`${CCDA}.21.2.1`),
    loinc: ["61149-1", "Objective Narrative"],
    title: "Objective",
    content: noteContent(["Objective", "Data", "Test"]),
  },
  past_medical_history: {
    template: templateId(`${CCDA}.22.2.20`, "2015-08-01"),
    loinc: ["11348-0", "History of Past illness Narrative"],
    title: "Past Medical History",
    content: historiesContent(["Past", "Consultation", "Health Maintenance", "Immunization"]),
  },
  payers: {
    template: templateId(`${CCDA}.22.2.18`, "2015-08-01"),
    loinc: ["48768-6", "Payment sources Document"],
    title: "Payers",
    content: payersContent,
  },
  physical_exam: {
    template: templateId(`${CCDA}.2.10`, "2015-08-01"),
    loinc: ["29545-1", "Physical findings Narrative"],
    title: "Physical Exam",
    content: noteContent(["PE"]),
  },
  plan_of_treatment: {
    template: templateId(`${CCDA}.22.2.10`, "2014-06-09"),
    loinc: ["18776-5", "Plan of care note"],
    title: "Plan of Treatment",
    content: planContent,
  },
  problems: {
    template: templateId(`${CCDA}.22.2.5.1`, "2015-08-01"),
    loinc: ["11450-4", "Problem list - Reported"],
    title: "Problems",
    content: problemsContent,
  },
  procedures: {
    template: templateId(`${CCDA}.22.2.7`, "2014-06-09"),
    loinc: ["47519-4", "History of Procedures Document"],
    title: "Procedures",
    content: historiesContent(["Past Surgical"]),
  },
  reason_for_referral: {
    template: templateId(`${IHE}.3.1`, "2014-06-09"),
    loinc: ["42349-1", "Reason for referral (narrative)"],
    title: "Reason for Referral",
    content: noteContent(["Reason"]),
  },
  reason_for_visit: {
    template: templateId(`${CCDA}.22.2.12`),
    loinc: ["29299-5", "Reason for visit Narrative"],
    title: "Reason for Visit",
    content: noteContent(["Reason"]),
  },
  results: {
    template: templateId(`${CCDA}.22.2.3.1`, "2015-08-01"),
    loinc: ["30954-2", "Relevant diagnostic tests/laboratory data Narrative"],
    title: "Results",
    content: resultsContent,
  },
  review_of_systems: {
    template: templateId(`${IHE}.3.18`),
    loinc: ["10187-3", "Review of systems Narrative - Reported"],
    title: "Review of Systems",
    content: noteContent(["ROS"]),
  },
  social_history: {
    template: templateId(`${CCDA}.22.2.17`, "2015-08-01"),
    loinc: ["29762-2", "Social history Narrative"],
    title: "Social History",
    content: socialHistoryContent,
  },
  vital_signs: {
    template: templateId(`${CCDA}.22.2.4.1`, "2015-08-01"),
    loinc: ["8716-3", "Vital signs note"],
    title: "Vital Signs",
    content: vitalSignsContent,
  },
};

/** Renders a section. Without data, or if it was not requested, it has `nullFlavor="NI"` and says why. */
function renderSection(name: SectionName, input: CcdaInput, isRequested: boolean): Xml {
  const { template: templateIds, loinc, title, content } = SECTION_DEFINITIONS[name];
  const found = isRequested ? content(input) : null;
  const head = { templateId: templateIds, code: coded("LOINC", ...loinc), title };
  if (!found) {
    const text = isRequested ? "No information." : "This document was asked for without this section.";
    return { ...nullFlavor("NI"), ...head, text };
  }
  const counts = found.from?.flatMap((part) => input.chart.truncated.get(part) ?? []) ?? [];
  const remark = counts.length > 0 ? `Only the newest ${Math.min(...counts)} records are shown.` : null;
  return {
    ...head,
    text: renderNarrative(found, remark),
    entry: (found.entries ?? []).map((entry) => ({ "@typeCode": "DRIV", ...entry })),
  };
}

/** Renders the part of a section that people read: its tables and paragraphs. */
function renderNarrative({ tables = [], paragraphs = [] }: SectionContent, remark: string | null): Xml {
  const shown = tables.filter(({ rows }) => rows.length > 0).map(renderTable);
  return { paragraph: [...paragraphs.map(renderParagraph), ...(remark ? [remark] : [])], table: shown };
}

function renderTable({ columns, rows }: Table): Xml {
  return {
    "@border": "1",
    "@width": "100%",
    thead: { tr: { th: columns } },
    tbody: { tr: rows.map(({ id, cells }) => ({ "@ID": id, td: cells.map(renderCell) })) },
  };
}

/** No text that people write has more lines. Rendering millions of elements would take seconds. */
const MAX_PARAGRAPHS = 1_000;

/** Renders each line of a string as a paragraph. */
function renderCell(cell: Cell): Xml {
  const { id, text } = typeof cell === "object" && cell !== null ? cell : { id: undefined, text: cell ?? "" };
  const lines = splitLines(text);
  const isSplit = lines.length > 1 && lines.length <= MAX_PARAGRAPHS;
  return { "@ID": id, ...(isSplit ? { paragraph: lines } : { "#": lines.join(" ") }) };
}

function renderParagraph(text: string): Xml {
  const lines = splitLines(text);
  return { "#": lines.join(" ") };
}

function splitLines(text: string): string[] {
  return text
    .split(/[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
