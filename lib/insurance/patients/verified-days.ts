/** How long an eligibility check counts. */
export const VERIFIED_DAYS = 30;
