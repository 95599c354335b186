import { z } from "zod";
import type { Chart, ChartPart } from "@/lib/api/documents/chart/schema";
import { calendarDate } from "@/lib/platform/http/field-types";
import { repeatable } from "@/lib/platform/http/query";

/** The documents that can be made, as the contract names them. */
export const TEMPLATES = ["generateCCD", "generateCarePlan", "generateProgressNote", "generateReferralNote"] as const;
export type Template = (typeof TEMPLATES)[number];

/** The sections a document can have. */
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

/** The query of `ccda/{id}`. Both days count. */
export const ccdaQuery = {
  template: z.enum(TEMPLATES).default("generateCCD").describe("The document that is made."),
  sections: repeatable(z.enum(SECTIONS, { error: `Must be among ${SECTIONS.join(", ")}.` }))
    .optional()
    .describe(
      "The sections the document holds. Those its template requires are there empty where they are not asked for. Left out, all that the template offers.",
    ),
  start_date: calendarDate.optional().describe("The first day the document is about, in the practice's time zone."),
  end_date: calendarDate.optional().describe("The last day the document is about: it counts."),
};

/** The contract's `CCDA`: the XML, UTF-8, in base64. */
export const ccdaAnswer = z.object({
  id: z.int(),
  base64_ccda: z.base64(),
});

/** Days, `YYYY-MM-DD`; both count, and either may be open. */
export interface Period {
  start: string | undefined;
  end: string | undefined;
}

/** What a document is made for. */
export interface DocumentRequest {
  template: Template;
  /** The sections asked for; undefined: all that documents of its kind offer. */
  sections: readonly SectionName[] | undefined;
  period: Period;
}

/** What ids in a document are of. */
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
export type RootKind = (typeof ROOT_KINDS)[number];

/** What the renderer gets besides the chart. */
export interface RenderContext extends DocumentRequest {
  /** The document's own id, a UUID. */
  documentId: string;
  /** ISO 8601. */
  now: string;
  /** The root of the ids of each kind of records, a UUID: the same in every document of this installation. */
  roots: Readonly<Record<RootKind, string>>;
}

/** What a document is rendered from. */
export interface CcdaInput {
  chart: Chart;
  context: RenderContext;
}

/** What a section shows: tables and paragraphs to read, the coded entries, and the parts of the chart they are from. */
export interface SectionContent {
  tables?: readonly Table[];
  paragraphs?: readonly string[];
  entries?: readonly Xml[];
  from?: readonly ChartPart[];
}

export interface Table {
  columns: readonly string[];
  /** `id` links an entry with its row. */
  rows: readonly { id?: string; cells: readonly Cell[] }[];
}

/** A text, or one that an entry is linked with. */
export type Cell = string | null | undefined | { id: string; text: string };

/** An element as attributes (`@name`), text (`#`) and children, in the order of the CDA schema. */
export type Xml = { readonly [name: string]: XmlValue };
type XmlValue = Xml | string | number | undefined | readonly (Xml | string)[];
