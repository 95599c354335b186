import { pluralize } from "@/components/ui/format";

export const patientLookup = {
  region: "Patients",
  label: "Search patients",
  placeholder: "Name, DOB, member ID, phone or payer",
  showAll: "Show all matches in Patients",
  found: (count: number) => (count === 0 ? "No patients found" : `${pluralize(count, "patient")} found`),
  list: "Patients found",
};

export const recentPatients = {
  title: "Recently viewed",
  empty: "Patients you open appear here.",
};

export const assignedFindings = {
  title: "Findings assigned to you",
  migration: "Migration",
  empty: "When a colleague assigns you findings, they appear here.",
  open: (count: number) => pluralize(count, "open finding"),
  ownRecords: "This practice's records",
  overdue: (count: number) => `${count} overdue`,
};

export const coverageReview = {
  title: "Coverage to review",
  failed: (error: string) => `Couldn't count the patients. ${error}`,
  filters: {
    no_primary: "No primary, but other coverage",
    ended: "Primary coverage has ended",
    no_member_id: "Missing member ID",
    no_card: "No image of the card's front",
    not_verified: "Eligibility not verified in the last 30 days",
  },
};
