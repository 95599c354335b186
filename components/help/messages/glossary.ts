/** A word of the trade, with what it means to front desk and billing staff. docs/glossary.md maps the words to other systems. */
interface Term {
  term: string;
  meaning: string;
}

/** The definitions, in the order of the glossary page. Terms at labels show the same text. */
export const glossaryTerms = {
  archived: {
    term: "Archived policy",
    meaning:
      "A policy that no longer counts as coverage. It keeps its history and card images, and you can restore it.",
  },
  conversion: {
    term: "Conversion",
    meaning: "Creates policies from the legacy records of a checked run. Admins can roll it back.",
  },
  copay: { term: "Copay", meaning: "The fixed amount that the patient pays for a visit." },
  correction: {
    term: "Correction",
    meaning:
      "A new value for a wrong field of a legacy record, entered before the conversion. The export file stays as it is.",
  },
  cutover: {
    term: "Cutover",
    meaning:
      "The day on which the practice stops using legacy insurance and uses only policies. Admins sign off on it in the readiness report.",
  },
  deductible: {
    term: "Deductible",
    meaning: "The amount that the patient pays each year before the plan starts to pay.",
  },
  effectiveDate: { term: "Effective date", meaning: "The first day of coverage." },
  finding: {
    term: "Finding",
    meaning:
      "A problem that a check found in a legacy record. Errors must be fixed or skipped before the conversion; warnings don't have to be.",
  },
  groupNumber: {
    term: "Group number",
    meaning:
      "Identifies the employer or group that bought the plan. The card shows it as Group, Grp or Group No. Individual plans have none.",
  },
  legacyRecord: {
    term: "Legacy record",
    meaning: "The patient's insurance as older programs read and write it. Sync keeps it equal to the policies.",
  },
  memberId: {
    term: "Member ID",
    meaning:
      "Identifies the person to the payer. The card shows it as Member ID, ID or Subscriber ID. Enter it with its prefix and suffix.",
  },
  payer: { term: "Payer", meaning: "The insurance company or program that pays the claim, such as Aetna or Medicare." },
  paymentProgram: {
    term: "Payment program",
    meaning: "The kind of coverage that goes on the claim, such as Medicare Part B, Medicaid or commercial.",
  },
  plan: { term: "Plan", meaning: "The product of the payer that covers the patient, such as Choice POS II." },
  rank: {
    term: "Primary, secondary, tertiary",
    meaning:
      "The order in which payers are billed. The primary payer pays first, the secondary pays what is left, then the tertiary. Each rank holds one active policy.",
  },
  readiness: {
    term: "Readiness",
    meaning: "The share of the legacy records in the current run that are converted and verified.",
  },
  rehearsal: {
    term: "Rehearsal",
    meaning: "A try-out of the deadline at a date that you choose. It shows which programs would fail.",
  },
  relationship: {
    term: "Relationship to subscriber",
    meaning: "How the patient is related to the subscriber. Choose Self if the policy is the patient's own.",
  },
  subscriber: {
    term: "Subscriber",
    meaning: "The person who holds the policy, such as the employee. The patient can be the subscriber or a dependent.",
  },
  sync: { term: "Sync", meaning: "Copies each change between policies and the legacy record." },
  terminationDate: {
    term: "Termination date",
    meaning: "The last day of coverage. Leave it blank while the policy is active.",
  },
  version: {
    term: "Version",
    meaning: "A policy as it was after a change. The version history shows who changed what, and when.",
  },
  webhook: { term: "Webhook", meaning: "A message that tells another program about a changed record." },
} as const satisfies Record<string, Term>;

export type TermName = keyof typeof glossaryTerms;

export const termHint = {
  label: (term: string) => `Definition of ${term.toLowerCase()}`,
  withShortcut: (label: string) => `${label} (F1)`,
};
