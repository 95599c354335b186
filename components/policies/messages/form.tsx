// The form that adds or edits a policy.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

export const policyForm = {
  addTitle: "Add policy",
  /** Title of a new policy that takes the rank of another one, which is archived. */
  replaceTitle: (policy: string) => `Replace ${policy}`,
  editTitle: (policy: string) => `Edit ${policy}`,
  /** Below the page title: the patient, and the version that is edited. `born` is a date. */
  forPatient: (name: string, born: ReactNode) => (
    <>
      For {name}, born {born}
    </>
  ),
  forPatientVersion: (name: string, born: ReactNode, version: number) => (
    <>
      For {name}, born {born}. Version {version}
    </>
  ),
  /** Heading of the list of invalid fields. */
  notSaved: (fields: number) => `Not saved yet: ${pluralize(fields, "field needs", "fields need")} attention`,
  notAdded: (fields: number) => `Not added yet: ${pluralize(fields, "field needs", "fields need")} attention`,
  reason: "Reason for change",
  reasonHelp: "Optional. Saved in the version history.",
};

/** Texts in and below inputs. */
export const formInputs = {
  memberIdHelp: "As shown on the card",
  endDateHelp: "Leave blank if still active",
  ssnHelp: "Format: 123-45-6789",
  ssnReplacedHelp: "Format: 123-45-6789. Leave blank to remove the SSN on file.",
  /** Empty option of a select. */
  notEntered: "Not entered",
  /** Option of "Patient's relationship to subscriber": the patient is the subscriber. */
  self: "Self",
  /** Option of the rank, with the policy that has it. */
  rankTaken: (rank: string, holder: string) => `${rank} (currently ${holder})`,
  /** The rank of the policy to replace is not selected. `rank` is "primary", `label` its option "Primary". */
  replacedStays: (policy: string, rank: string, label: string) =>
    `${policy} stays ${rank} and active. To archive it, select ${label}.`,
  /** A value on file that came from elsewhere. `problem` is a sentence that says what to enter. */
  invalidOnFile: (problem: string) => `The value on file is invalid. ${problem} You can also keep it.`,
  selectState: "Select a state",
  state: (code: string, name: string) => `${code} – ${name}`,
  replaceSsn: "Replace SSN",
  keepSsn: "Keep SSN on file",
};

/** Summaries beside the headings of groups that are collapsed. */
export const formGroups = {
  /** The patient is the subscriber. */
  subscriberIsPatient: "The patient",
  entered: "Entered",
  notEntered: "Not entered",
  subscriberHelp: "The person who holds the insurance, if not the patient",
  claimsAddressHelp: "Payer address for claims",
  /** The address is the payer's. */
  listedAddressHelp: "From the practice's payer list",
  listedAddress: (address: string) => `From the payer list: ${address}`,
};

/** The bar with the buttons, and what has changed. */
export const saveBar = {
  nothingEntered: "Nothing entered yet",
  noChanges: "No changes yet",
  fields: (count: number) => pluralize(count, "field"),
  changes: (count: number) => pluralize(count, "change"),
  /** `count` is "2 changes", `names` the labels of the fields. */
  list: (count: ReactNode, names: string) => (
    <>
      {count}
      <span className="text-soft">: {names}</span>
    </>
  ),
  cardImages: "Card images",
  cancel: "Cancel",
  add: "Add policy",
  save: "Save changes",
  /** What is lost on leaving, before "will be lost." */
  newPolicy: "The new policy",
  changesToPolicy: (count: number) => `${pluralize(count, "change")} to this policy`,
};
