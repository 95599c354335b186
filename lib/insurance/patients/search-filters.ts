// What the list of patients can be narrowed to.

/** States of a patient's coverage. */
export const COVERAGES = ["active", "ended", "no_primary", "archived_only", "none"] as const;
export type Coverage = (typeof COVERAGES)[number];

/** What a current insurance can lack. `eligibility` is a check in the last `VERIFIED_DAYS` that a payer answered. */
export const MISSING = ["card", "member_id", "eligibility"] as const;
export type Missing = (typeof MISSING)[number];

/** Undefined filters match every patient. */
export interface PatientListFilter {
  /** The beginning of a current insurance's payer. */
  payer?: string | undefined;
  /** The beginning of the plan of the same insurance. */
  plan?: string | undefined;
  coverage?: Coverage | undefined;
  missing?: Missing | undefined;
}

/** Filters of patients whose coverage the front desk should look at. Home counts them and links to the list. */
export const REVIEW_FILTERS = {
  no_primary: { coverage: "no_primary" },
  ended: { coverage: "ended" },
  no_member_id: { missing: "member_id" },
  no_card: { missing: "card" },
  not_verified: { missing: "eligibility" },
} as const satisfies Record<string, PatientListFilter>;
export type ReviewName = keyof typeof REVIEW_FILTERS;
