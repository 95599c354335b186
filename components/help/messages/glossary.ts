import type { TermName } from "./terms";

/**
 * What the words of the trade mean, for front desk and billing staff, in the order of the glossary page. Question marks at labels show the
 * same text. docs/glossary.md maps the words to other systems.
 */
export const meanings: Readonly<Record<TermName, string>> = {
  archived: "A policy that is no longer active coverage. It keeps its history and card images, and you can restore it.",
  conversion: "The step that creates policies from the legacy records of a checked run. Admins can roll it back.",
  copay: "The fixed amount that the patient pays for a visit.",
  correction:
    "A new value for a wrong field of a legacy record, entered before the conversion. The export file is not changed.",
  cutover:
    "The day on which the practice stops using legacy insurance and uses only policies. Admins sign off in the readiness report.",
  deductible: "The amount that the patient pays each year before the plan starts to pay.",
  effectiveDate: "The first day of coverage.",
  eligibility: "Whether the payer confirms that a policy is active, and what it covers. Each check is saved.",
  finding:
    "A problem that a check found in a legacy record. Errors must be fixed or skipped before the conversion; warnings don't have to be.",
  groupNumber:
    "Identifies the employer or group that bought the plan. The card shows it as Group, Grp or Group No. Individual plans have none.",
  legacyRecord:
    "The patient's insurance as older API clients read and change it. Sync keeps it the same as the policies.",
  memberId:
    "Identifies the person to the payer. The card shows it as Member ID, ID or Subscriber ID. Enter it with its prefix and suffix.",
  payer: "The insurance company or program that pays the claim, such as Aetna or Medicare.",
  paymentProgram: "The kind of coverage that goes on the claim, such as Medicare Part B, Medicaid or commercial.",
  plan: "The product of the payer that covers the patient, such as Choice POS II.",
  rank: "The order in which payers are billed. The primary payer pays first, the secondary pays what is left, then the tertiary. Each rank holds one active policy.",
  readiness: "The share of the legacy records in the current run that are converted and verified.",
  rehearsal: "A trial run of the deadline at a time that you choose. It shows which API clients would fail.",
  relationship: "How the patient is related to the subscriber. Choose Self if the policy is the patient's own.",
  subscriber:
    "The person who holds the policy, such as the employee. The patient can be the subscriber or a dependent.",
  sync: "Copies each change of a policy to the legacy record, and each change of the legacy record to the policies.",
  terminationDate: "The last day of coverage. Leave it blank while the policy is active.",
  version: "A policy as it was after a change. The version history shows who changed what, and when.",
  webhook: "A message that Crosswalk sends to an API client when a record changes.",
};
