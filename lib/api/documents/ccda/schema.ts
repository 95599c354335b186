import { z } from "zod";
import type { Chart, ChartPart } from "@/lib/api/documents/chart/schema";
import { repeatable } from "@/lib/platform/http/query";
import { calendarDate } from "@/lib/platform/http/validation";

/** Kinds of documents, as named in the contract. */
export const TEMPLATES = ["generateCCD", "generateCarePlan", "generateProgressNote", "generateReferralNote"] as const;
export type Template = (typeof TEMPLATES)[number];

export const SECTIONS = [
  "allergies",
  "assessment",
  "encounters",
  "family_history",
  "functional_status",
  "goals",
  "health_concerns",
  "history_of_present_illness",
  "immunizations",
  "interventions",
  "medications",
  "mental_status",
  "objective",
  "past_medical_history",
  "payers",
  "physical_exam",
  "plan_of_treatment",
  "problems",
  "procedures",
  "reason_for_referral",
  "reason_for_visit",
  "results",
  "review_of_systems",
  "social_history",
  "vital_signs",
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** The query of `ccda/{id}`. */
export const ccdaQuery = {
  template: z.enum(TEMPLATES).default("generateCCD").describe("The kind of document."),
  sections: repeatable(z.enum(SECTIONS, { error: `Must be among ${SECTIONS.join(", ")}.` }))
    .optional()
    .describe(
      "The sections to include. Required sections that are not listed are included, but empty. The default is every section that the template offers.",
    ),
  start_date: calendarDate.optional().describe("The first day that the document covers, in the practice's time zone."),
  end_date: calendarDate.optional().describe("The last day that the document covers, in the practice's time zone."),
};

/** The contract's `CCDA`: the XML, UTF-8, in base64. */
export const ccdaResponse = z.object({
  id: z.int(),
  base64_ccda: z.base64(),
});

/** A range of days, `YYYY-MM-DD`, with both ends included. */
export interface Period {
  start: string | undefined;
  end: string | undefined;
}

export interface DocumentRequest {
  template: Template;
  /** Undefined requests every section that the template offers. */
  sections: readonly SectionName[] | undefined;
  period: Period;
}

/** Kinds of records that IDs in a document belong to. */
export const ROOT_KINDS = [
  "allergies",
  "allergy_documentation",
  "documents",
  "drug_intolerances",
  "family_histories",
  "histories",
  "immunizations",
  "insurance_companies",
  "lab_orders",
  "medications",
  "members",
  "patients",
  "policies",
  "practices",
  "problems",
  "reports",
  "software",
  "visit_notes",
  "vitals",
] as const;
/** The root of the IDs of each kind, a UUID that is the same in every document of an installation. */
export const idRoots = z.record(z.enum(ROOT_KINDS), z.uuid());

/** What the renderer gets besides the chart. */
export interface RenderContext extends DocumentRequest {
  /** The ID of the document, a UUID. */
  documentId: string;
  /** ISO 8601. */
  now: string;
  roots: Readonly<z.output<typeof idRoots>>;
}

/** What a document is rendered from. */
export interface CcdaInput {
  chart: Chart;
  context: RenderContext;
}

/** The content of a section: tables and paragraphs to read, coded entries, and the parts of the chart they come from. */
export interface SectionContent {
  tables?: readonly Table[];
  paragraphs?: readonly string[];
  entries?: readonly Xml[];
  from?: readonly ChartPart[];
}

export interface Table {
  columns: readonly string[];
  /** `id` is what an entry links to. */
  rows: readonly { id?: string; cells: readonly Cell[] }[];
}

/** A passage of text, with an ID if an entry links to it. */
export type Cell = string | null | undefined | { id: string; text: string };

/** An element: attributes (`@name`), text (`#`) and children, in the order of the CDA schema. */
export type Xml = { readonly [name: string]: XmlValue };
type XmlValue = Xml | string | number | undefined | readonly (Xml | string)[];

/** Returns the contract's `CCDA`. */
export function toCcdaDto(patientId: number, xml: string) {
  return { id: patientId, base64_ccda: Buffer.from(xml, "utf8").toString("base64") };
}
