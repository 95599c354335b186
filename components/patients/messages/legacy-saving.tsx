// Reviews before the insurance of a patient is replaced, and what can keep it from being saved.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

/** The dialog before all insurance is replaced. */
export const legacyReview = {
  replaceTitle: (patient: string) => `Replace all insurance records for ${patient}?`,
  addTitle: (patient: string) => `Add insurance records for ${patient}?`,
  removeTitle: (patient: string) => `Remove all insurance records for ${patient}?`,
  replaceHelp: (before: number, after: number) =>
    `Replaces ${pluralize(before, "record")} with ${pluralize(after, "new record")}. Replaced records are kept in the history, but you can't undo this.`,
  addHelp: (after: number) => `Adds ${pluralize(after, "new record")}. You can't undo this.`,
  removeHelp: (before: number) =>
    `Removes ${pluralize(before, "record")}. Removed records are kept in the history, but you can't undo this.`,
  replace: "Replace all records",
  add: (after: number) => `Add ${pluralize(after, "record")}`,
  remove: "Remove all records",
  keepEditing: "Keep editing",
  removed: "Removed",
  added: "Added",
  changed: (fields: readonly string[]) => `Changed: ${fields.join(", ")}`,
  none: "None",
  archivedPolicies: (count: number) => `${pluralize(count, "policy is", "policies are")} archived.`,
  newPolicies: (count: number) => `${pluralize(count, "new policy is", "new policies are")} added.`,
  noImages: "No card images are carried over.",
  images: (count: number) => `${pluralize(count, "card image is", "card images are")} carried over to the new records.`,
};

/** Why the insurance was not saved. */
export const legacySaveErrors = {
  title: "Nothing was saved",
  /** The response was lost. */
  uncertainTitle: "The insurance may have been replaced",
  changed:
    "Someone else changed this insurance after you opened it. What you typed is kept. Compare it above, then review again.",
  versioningOn:
    "Insurance Versioning was turned on for this practice, so its insurance is now stored as policies. What you typed is kept on this page.",
  deadlinePassed:
    "The practice's deadline for legacy insurance has passed. Only policies can be changed now. What you typed is kept on this page.",
  kept: (reason: string) => `${reason} What you typed is kept.`,
};

/** The comparison of what the user typed with what someone else has saved. */
export const legacyConflict = {
  title: "This insurance was updated by someone else",
  same: "Both versions are now the same.",
  help: "What you typed is kept. These fields differ from theirs. When you save, your values replace theirs unless you choose theirs here.",
  table: "Theirs and mine",
  field: "Field",
  theirs: "Theirs",
  mine: "Mine",
  choice: "Choice",
  /** Before a value in a narrow window. */
  theirsLabel: "Theirs:",
  mineLabel: "Mine:",
  /** A field without a value. */
  empty: "empty",
  /** Names what differs: a field, or all of an insurance. `rank` is a label such as "Primary". */
  fieldName: (rank: string, field: string) => `${rank}: ${field}`,
  insuranceName: (rank: string) => `${rank}: insurance`,
  /** One side has no insurance of this priority. */
  noInsurance: "none",
  useTheirs: "Use theirs",
  useTheirsFor: (name: string) => `Use theirs for ${name}`,
  keepMine: "Keep mine for the rest",
  keepTheirs: "Keep all theirs",
};

/** After the practice's deadline for the legacy API. `date` is the deadline. */
export const legacyDeadline = {
  title: "Insurance can no longer be edited here",
  settings: "Open settings",
  passed: (date: ReactNode) => (
    <>The practice's deadline of {date} has passed. Legacy insurance can no longer be viewed or saved.</>
  ),
  /** The practice rehearses the deadline, so its clock shows another time. */
  rehearsed: (date: ReactNode) => (
    <>
      The practice is rehearsing its deadline of {date}, which has passed in the rehearsal. Legacy insurance can no
      longer be viewed or saved.
    </>
  ),
  adminHelp:
    "The insurance is kept as policies. They appear here once you turn on Insurance Versioning in the practice's settings.",
  staffHelp:
    "The insurance is kept as policies. They appear here once an admin turns on Insurance Versioning in the practice's settings.",
  kept: "What you typed is kept on this page but can't be saved.",
};
