import { formatMoney } from "@/components/policies/fields";

type Problem = { code: string; message: string };

/** Why a check failed, as the end of a sentence. */
const REASONS: Record<string, string> = {
  missing_member_id: "the policy has no member ID",
  missing_payer: "the policy has no payer",
  member_not_found: "member ID not found",
  invalid_member_id: "member ID rejected",
  name_mismatch: "the payer has a different name for this member ID",
  dob_mismatch: "the payer has a different date of birth for this member ID",
  unknown_payer: "payer ID unknown to the clearinghouse",
  payer_unavailable: "the payer didn't respond",
  provider_unavailable: "the clearinghouse is unavailable",
  invalid_response: "the clearinghouse's response couldn't be read",
  no_status: "the payer didn't report a status",
};

export const eligibilityLine = {
  never: "Eligibility not verified yet",
  verified: (day: string, status: "active" | "inactive", copay: number | null) =>
    `Eligibility verified ${day}, ${status}${copay === null ? "" : `, copay ${formatAmount(copay.toFixed(2))}`}`,
  failed: (day: string, problem: Problem | undefined) =>
    `Couldn't verify eligibility on ${day}: ${reasonText(problem)}`,
  simulated: "Simulated",
  verify: "Verify eligibility",
  details: "Details",
  detailsOf: (policy: string) => `Eligibility details of ${policy}`,
  verifyOf: (policy: string) => `Verify eligibility of ${policy}`,
  callFailed: "Eligibility was not verified.",
};

/** Returns why a check failed, as the end of a sentence. */
export function reasonText(problem: Problem | undefined): string {
  if (!problem) return "no reason given";
  return REASONS[problem.code] ?? problem.message;
}

/** Formats an amount, without cents if there are none. */
export function formatAmount(amount: string): string {
  return formatMoney(amount).replace(/\.00$/, "");
}

/** Formats a percentage without trailing zeros. */
export const formatPercent = (percent: string) => `${Number(percent)}%`;

export const eligibilityDialog = {
  title: (policy: string) => `Eligibility of ${policy}`,
  simulatedTitle: "Simulated result",
  simulated: "No payer was contacted. Your Crosswalk administrator can connect a clearinghouse in the server settings.",
  loading: "Loading the report…",
  failedTitle: "Couldn't load the report",
  status: { active: "Active", inactive: "Inactive", error: "Not verified" },
  checkedBy: (name: string, source: string) => `${name}, ${source}`,
  benefits: "Benefits",
  noBenefits: "The payer reported no benefits.",
  columns: {
    benefit: "Benefit",
    service: "Service",
    level: "Level",
    network: "Network",
    value: "Value",
    period: "Period",
  },
  kinds: {
    copay: "Copay",
    coinsurance: "Coinsurance",
    deductible: "Deductible",
    out_of_pocket: "Out-of-pocket limit",
    limitations: "Limitation",
  },
  networks: { in_network: "In network", out_of_network: "Out of network" },
  plan: "Plan",
  subscriber: "Subscriber",
  notReported: "Not reported",
  planFields: {
    carrier: "Payer",
    plan_name: "Plan",
    plan_number: "Plan number",
    group_name: "Group",
    group_number: "Group number",
    member_id: "Member ID",
    dates: "Coverage dates",
    insurance_type: "Insurance type",
  },
  subscriberFields: { name: "Name", member_id: "Member ID", sex_at_birth: "Sex at birth", address: "Address" },
  askedFor: "Requested for",
  npi: (npi: string) => `NPI ${npi}`,
  history: "All checks",
  never: "Eligibility has never been verified for this policy.",
  ambiguous: "The payer reported several values. See the benefits below.",
};
