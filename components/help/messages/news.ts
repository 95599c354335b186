/** A change that staff notice. */
export interface NewsItem {
  /** `YYYY-MM-DD` */
  date: string;
  title: string;
  detail: string;
  /** Shown only to admins. */
  isForAdmins?: true;
}

/** What's new, newest first. The help menu shows a dot until the user has opened the list with the newest date. */
export const news: readonly NewsItem[] = [
  {
    date: "2026-11-28",
    title: "Search finds more patients",
    detail: "Type any part of a double name, or a year of birth. Matches show the payer and the member ID.",
  },
  {
    date: "2026-11-27",
    title: "No duplicate patients",
    detail: "API clients can't add a patient who is already in the practice. You can change this under Settings.",
    isForAdmins: true,
  },
  {
    date: "2026-11-27",
    title: "Verify eligibility and write notes",
    detail: "Ask the payer whether a policy is active, and keep notes on it. Both are on the policy's page.",
  },
  {
    date: "2026-11-27",
    title: "Help where you need it",
    detail: "The help menu has a staff guide and a glossary. Question marks next to fields explain their terms.",
  },
  {
    date: "2026-11-27",
    title: "Audit log in sentences",
    detail: "Entries say who did what, and link to the patient, policy or run.",
    isForAdmins: true,
  },
  {
    date: "2026-11-26",
    title: "Fix findings where you see them",
    detail: "Correct wrong values of a legacy record on its findings page, one by one or in bulk.",
  },
  {
    date: "2026-11-25",
    title: "Home for the front desk",
    detail: "Home opens with the patient search, recent patients and your open work.",
  },
  {
    date: "2026-11-24",
    title: "Alerts by email and chat",
    detail: "Admins are notified of failed deliveries, failed sync events and the approaching deadline.",
    isForAdmins: true,
  },
];
