/** The words of the glossary, apart from their meanings, which load when someone asks for one. */
export const terms = {
  archived: "Archived policy",
  conversion: "Conversion",
  copay: "Copay",
  correction: "Correction",
  cutover: "Cutover",
  deductible: "Deductible",
  effectiveDate: "Effective date",
  eligibility: "Eligibility",
  finding: "Finding",
  groupNumber: "Group number",
  legacyRecord: "Legacy record",
  memberId: "Member ID",
  payer: "Payer",
  paymentProgram: "Payment program",
  plan: "Plan",
  rank: "Primary, secondary, tertiary",
  readiness: "Readiness",
  rehearsal: "Rehearsal",
  relationship: "Relationship to subscriber",
  subscriber: "Subscriber",
  sync: "Sync",
  terminationDate: "Termination date",
  version: "Version",
  webhook: "Webhook",
} as const;

export type TermName = keyof typeof terms;

export const termHint = {
  label: (term: string) => `Definition of “${term}”`,
  withShortcut: (label: string) => `${label} (F1)`,
};
