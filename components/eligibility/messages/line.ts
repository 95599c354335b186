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
  /** What the payer answered. `copay` is the payer's, `onFile` the policy's if it is another amount. */
  answer: (status: "active" | "inactive", copay: number | "several" | null, onFile: string | null) =>
    [
      status === "active" ? "Active per payer" : "Inactive per payer",
      ...(copay === null
        ? []
        : [copay === "several" ? "several copays reported" : `copay ${formatAmount(copay.toFixed(2))}`]),
      ...(onFile === null ? [] : [`${formatAmount(onFile)} on file`]),
    ].join(", "),
  recent: (answer: string, day: string) => `${answer} (checked ${day})`,
  old: (answer: string, day: string) => `${answer}, but last checked ${day}`,
  outdated: (day: string) => `The payer or member ID has changed since eligibility was checked on ${day}`,
  failed: (day: string, problem: Problem | undefined) =>
    `Couldn't verify eligibility on ${day}: ${reasonText(problem)}`,
  simulated: "Simulated",
  verify: "Verify eligibility",
  verifyAgain: "Verify again",
  details: "Details",
  detailsOf: (policy: string) => `Eligibility details of ${policy}`,
  verifyOf: (policy: string) => `Verify eligibility for ${policy}`,
  verifyAgainOf: (policy: string) => `Verify again for ${policy}`,
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
