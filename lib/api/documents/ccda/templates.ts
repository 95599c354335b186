import type { SectionName, Template, Xml } from "./schema";
import { ccdaTemplateId } from "./xml";

interface TemplateDefinition {
  templateIds: readonly Xml[];
  loinc: [code: string, name: string];
  title: string;
  /** Sections that every document of this kind has. */
  required: readonly SectionName[];
  /** Sections that it also has, unless the request names others. */
  offered: readonly SectionName[];
}

/** The kinds of documents in C-CDA R2.1. */
export const TEMPLATE_DEFINITIONS: Readonly<Record<Template, TemplateDefinition>> = {
  generateCCD: {
    templateIds: ccdaTemplateId("1.2", "2015-08-01"),
    loinc: ["34133-9", "Summarization of Episode Note"],
    title: "Continuity of Care Document",
    required: ["allergies", "medications", "problems", "results", "social_history", "vital_signs"],
    offered: [
      "immunizations",
      "encounters",
      "plan_of_treatment",
      "payers",
      "procedures",
      "family_history",
      "past_medical_history",
      "functional_status",
      "mental_status",
    ],
  },
  generateCarePlan: {
    templateIds: ccdaTemplateId("1.15", "2015-08-01"),
    loinc: ["52521-2", "Overall plan of care/advance care directives"],
    title: "Care Plan",
    required: ["health_concerns", "goals"],
    offered: ["interventions", "allergies", "medications", "problems", "immunizations", "vital_signs", "payers"],
  },
  generateProgressNote: {
    templateIds: ccdaTemplateId("1.9", "2015-08-01"),
    loinc: ["11506-3", "Progress note"],
    title: "Progress Note",
    required: ["assessment", "plan_of_treatment"],
    offered: [
      "reason_for_visit",
      "history_of_present_illness",
      "review_of_systems",
      "physical_exam",
      "objective",
      "allergies",
      "medications",
      "problems",
      "results",
      "vital_signs",
    ],
  },
  generateReferralNote: {
    templateIds: ccdaTemplateId("1.14", "2015-08-01"),
    loinc: ["57133-1", "Referral note"],
    title: "Referral Note",
    required: ["reason_for_referral", "problems", "allergies", "medications", "assessment", "plan_of_treatment"],
    offered: [
      "history_of_present_illness",
      "review_of_systems",
      "physical_exam",
      "results",
      "vital_signs",
      "immunizations",
      "social_history",
      "family_history",
      "past_medical_history",
      "procedures",
      "functional_status",
      "mental_status",
      "payers",
    ],
  },
};

/** Returns the sections that documents of this kind don't offer. */
export function unofferedSections(template: Template, sections: readonly SectionName[]): SectionName[] {
  const { required, offered } = TEMPLATE_DEFINITIONS[template];
  return sections.filter((name) => ![...required, ...offered].includes(name));
}
