// The list of patients: search, filters and columns.
import type { ReactNode } from "react";

export const patientList = {
  title: "Patients",
  /** Button that downloads the list. */
  csv: "Export CSV",
  search: "Search patients",
  searchPlaceholder: "Name, DOB, member ID, phone or payer",
  /** Within a sentence: "The list has only 5 patients." */
  noun: "patients",
  noMatches: "No patients match",
  searchHelp:
    "Try the beginning of a first, middle or last name, a date of birth such as 5/17/1980 or May 17 1980, a year of birth, a payer, a phone number with its area code, or the last four characters of a member ID. All words must match.",
  filterHelp: "Remove a filter to see more patients.",
  none: "No patients yet",
  noneHelp: "Convert an export under Migration, or add patients through the API.",
  noInsurance: "No insurance",
  noPrimary: "No primary",
  /** There is a primary insurance, but its payer is missing. */
  noPayer: "Payer not entered",
  /** The primary coverage has ended. `date` is its termination date. */
  ended: (date: ReactNode) => <>Ended {date}</>,
};

/** Headings of columns. */
export const patientColumns = {
  name: "Name",
  dateOfBirth: "Date of birth",
  sex: "Sex",
  primary: "Primary insurance",
  memberId: "Member ID",
  changed: "Last changed",
};

export const patientFilters = {
  label: "Filter patients",
  names: { payer: "Payer", plan: "Plan", coverage: "Coverage", missing: "Missing" },
  /** Values of the filter Coverage. In lower case, because they also follow its name: "Coverage: no insurance". */
  coverage: {
    active: "active primary coverage",
    ended: "primary coverage has ended",
    no_primary: "no primary coverage",
    archived_only: "archived policies only",
    none: "no insurance",
  },
  /** Values of the filter Missing. */
  missing: { card: "front of the card", member_id: "member ID", eligibility: "eligibility check in the last 30 days" },
};
