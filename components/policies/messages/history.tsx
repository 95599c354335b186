// The version history of a policy: the list of versions, and the comparison of two of them.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

/** The page with the history alone. */
export const historyPage = {
  title: "History",
  versions: (count: number) => pluralize(count, "version"),
  archived: "archived",
};

/** Headings and labels of fields that only the history shows. */
export const historyFields = {
  policyGroup: "Policy",
  patientGroup: "Patient",
  cardImages: "Card images",
  status: "Status",
  archived_date: "Archived",
  archive_reason: "Reason for archiving",
  insurance_company: "Payer record ID",
  insurance_plan: "Plan record ID",
  patient_first_name: "Patient's first name",
  patient_last_name: "Patient's last name",
  patient_dob: "Patient's date of birth",
  patient_insurance: "Legacy insurance ID",
};

/** Values of the status. */
export const statuses = { active: "Active", archived: "Archived" };

/** What a version changed, by its kind. Use `label` by itself, and `phrase` within a sentence. */
export const changeKinds = {
  created: { label: "Added", phrase: "added" },
  updated: { label: "Changed", phrase: "changed" },
  archived: { label: "Archived", phrase: "archived" },
  restored: { label: "Restored", phrase: "restored" },
  card_image_added: { label: "Card image added", phrase: "card image added" },
  card_image_removed: { label: "Card image deleted", phrase: "card image deleted" },
  card_images_moved: { label: "Card images moved", phrase: "card images moved" },
};

/** The list of versions. */
export const versionList = {
  label: "Versions, newest first",
  failed: "Couldn't load some versions",
  fieldsSet: (count: number) => `${pluralize(count, "field")} set`,
  /** For screen readers. */
  version: (version: number) => `Version ${version}`,
  current: "current",
  /** For screen readers: this version is compared with the selected one. */
  comparedWith: "compared with",
  reason: (reason: string) => `“${reason}”`,
  /** Below the list. `key` renders the name of a key, `action` that of a click with a key. */
  keys: (key: (name: string) => ReactNode, action: (name: string) => ReactNode) => (
    <>
      ↑ ↓ select a version · {key("c")} compares with the current version · {action("Shift-click")} compares with
      another
    </>
  ),
};

/** Controls above the comparison. */
export const historyControls = {
  section: "History",
  from: "From",
  fromLabel: "Compare from version",
  to: "to",
  toLabel: "Compare to version",
  current: (version: number) => `${version} current`,
  nothing: "Nothing",
  view: "View",
  unified: "Unified",
  split: "Side by side",
  fields: "Fields",
  changed: "Changed",
  all: "All",
  print: "Print the history",
  compareWithCurrent: "Compare with current",
  loadFailed: "Couldn't load these versions",
  retry: "Try again",
};

/** The heading of the comparison. `kind` is a phrase such as "card image added". */
export const versionFacts = {
  title: (version: number, kind: string) => `Version ${version}: ${kind}`,
  currentTitle: (version: number, kind: string) => `Version ${version} (current): ${kind}`,
  comparedWith: (version: number) => `compared with version ${version}`,
  /** When the change happened, and when it was recorded, if that was later. */
  times: (occurred: ReactNode, recorded: ReactNode) => (
    <>
      {occurred} (recorded {recorded})
    </>
  ),
};

/** The table with the differences. */
export const comparison = {
  /** For screen readers, after another version was selected. */
  summary: (version: number, other: number, changed: number) =>
    `Version ${version} compared with version ${other}: ${pluralize(changed, "field differs", "fields differ")}`,
  firstSummary: (version: number, changed: number) =>
    `Version ${version}: ${pluralize(changed, "field differs", "fields differ")}`,
  field: "Field",
  before: "Before",
  version: (version: number) => `Version ${version}`,
  value: "Value",
  change: "Change",
  lastChanged: "Last changed",
  noDifference: "No fields differ between these versions.",
  showUnchanged: (count: number) => `Show ${pluralize(count, "unchanged field")}`,
  /** Before a value, for screen readers. */
  removed: "Removed:",
  added: "Added:",
  /** A field without a value. */
  empty: "Empty",
  /** A side of a card without an image. */
  noImage: "None",
  cardSide: (side: string) => `Card: ${side}`,
  goToVersion: (version: number) => `Go to version ${version}`,
  /** A link. Short for "version 3". */
  shortVersion: (version: number) => `v${version}`,
  lastChange: (version: ReactNode, actor: string, time: ReactNode) => (
    <>
      {version} {actor}, {time}
    </>
  ),
};

/** Before the words of a long text that differ, for screen readers. */
export const wordDifference = { added: "added:", removed: "removed:" };

/** The list of all versions on printed pages. */
export const printedVersions = {
  title: "All versions, newest first",
  incomplete: "This list is incomplete. Use the Print button on the page.",
  headings: ["Version", "What", "When", "Who", "Source", "Changed", "Reason"],
};
