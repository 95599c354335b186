import type { ReactNode } from "react";
import { formatDay, formatUtc, joinChanges } from "@/components/ui/change-message";
import { formatList, formatNumber, pluralize } from "@/components/ui/format";
import type { RecordChange } from "@/lib/access/history/queries";

/** The frame of the settings pages. */
export const settingsNav = {
  title: "Settings",
  label: "Settings",
  practice: "Practice",
  members: "Members",
  audit: "Audit",
};

/** The page of the practice's settings. */
export const practicePage = {
  title: "Practice settings",
  notRefreshed: "Couldn't refresh the settings",
  history: "Change history",
  noHistory: "No changes since the practice was created",
};

/** The setting Insurance Versioning. */
export const versioning = {
  title: "Insurance Versioning",
  on: "On",
  off: "Off",
  stateOn:
    "Insurance Versioning is on. Staff see policies with their version history, and legacy writes update insurance in place.",
  stateOff:
    "Insurance Versioning is off. Staff see legacy insurance, and each legacy write replaces all of a patient's insurance.",
  historyLabel: "Changes to Insurance Versioning",
  /** In the history, after the name of the author. */
  turned: (isOn: boolean) => `turned Insurance Versioning ${isOn ? "on" : "off"}`,
};

/** Compares what Insurance Versioning does if it is on and off. */
export const versioningEffects = {
  label: "Effects of the change",
  now: (isOn: boolean) => (isOn ? "Now (on)" : "Now (off)"),
  after: (isOn: boolean) => (isOn ? "After turning it on" : "After turning it off"),
  unchanged: "No change",
  rows: [
    {
      what: "What staff see",
      on: "Policies with version history, comparison and restore",
      off: "Legacy insurance. Saving replaces all of it",
    },
    {
      what: "Legacy write with IDs",
      on: "Updates the insurance in place and keeps its ID and card images",
      off: "Replaces all of the patient's insurance and assigns new IDs",
    },
    {
      what: "Insurance omitted from a legacy write",
      on: "Archived, and the rest stays unchanged",
      off: "Archived, along with all the rest",
    },
    {
      what: "Card image uploaded by rank",
      on: "Rejected (422), because uploads require a policy ID",
      off: "Accepted",
    },
    { what: "Policy endpoints", on: "Available", off: "Available" },
  ],
};

/** What turning Insurance Versioning on or off would do, counted for this practice. */
export const versioningPreview = {
  title: "Effect",
  failed: "Couldn't preview the effect",
  lead: (isOn: boolean) =>
    `This is a preview. Turning it ${isOn ? "on" : "off"} doesn't convert or delete any records.`,
  insured: (insured: number, patients: number) =>
    `${formatNumber(insured)} of ${pluralize(patients, "patient")} have insurance. The next legacy write for each of them follows the new rule.`,
  unchanged: (active: number, archived: number, images: number) =>
    `${pluralize(active, "active policy", "active policies")}, ${formatNumber(archived)} archived and ${pluralize(images, "card image")} stay unchanged.`,
  historyShown: (policies: number) =>
    `${pluralize(policies, "active policy has", "active policies have")} a version history. Staff will see it.`,
  historyHidden: (policies: number) =>
    `${pluralize(policies, "active policy has", "active policies have")} a version history. It is kept, but hidden from staff.`,
  writers: (names: readonly string[]) =>
    `${pluralize(names.length, "API client")} wrote legacy insurance in the last 30 days: ${formatList(names)}.`,
  noWriters: "No API client wrote legacy insurance in the last 30 days.",
  notified: (subscriptions: number) =>
    subscriptions === 0
      ? "This change sends no webhooks."
      : `This change sends a webhook to ${pluralize(subscriptions, "subscription")}.`,
};

/** The form that turns Insurance Versioning on or off. */
export const versioningForm = {
  reason: "Reason",
  reasonHelp: "Saved in the change history.",
  submit: (isOn: boolean) => `Turn ${isOn ? "on" : "off"} Insurance Versioning`,
  submitFor: (isOn: boolean, patients: number) =>
    `Turn ${isOn ? "on" : "off"} Insurance Versioning for ${pluralize(patients, "patient")}`,
  undo: "You can switch back at any time. Insurance that legacy writes replace in the meantime is not restored.",
  failed: "Insurance Versioning was not changed",
  conflict: "Someone else changed the settings. The current settings are shown. Review them, then try again.",
  done: (isOn: boolean) => `Insurance Versioning is ${isOn ? "on" : "off"}`,
};

/** The deprecation of legacy insurance: its date, mode and rehearsal. */
export const deprecation = {
  title: "Legacy insurance deadline",
  lead: "The date by which clients must use policies instead of the insurance in the patient record.",
  on: "Legacy access: on",
  off: "Legacy access: off",
  enforced: (day: ReactNode) => <>Deadline {day}, enforced.</>,
  announced: (day: ReactNode) => <>Deadline {day}, announced only.</>,
  passed: (day: ReactNode) => <>The deadline was {day}. It is not enforced.</>,
  /** Follows `enforced` or `announced`. */
  rehearsed: (time: ReactNode) => <>Rehearsal in progress: the practice's rules apply as of {time}.</>,
  historyLabel: "Changes to the deadline",
};

/** The form that changes the deprecation. */
export const deprecationForm = {
  date: "Deadline",
  dateHelp: "Starts at midnight UTC.",
  mode: "Mode",
  announce: "Announce",
  announceHelp:
    "Legacy insurance keeps working. Responses that contain it announce the deadline and the policy endpoints.",
  enforce: "Enforce",
  enforceHelp: "From the deadline on, writes that contain insurance are rejected (422) and reads omit it.",
  rehearse: "Rehearse a different date",
  rehearseHelp:
    "Until you end the rehearsal, this practice's rules apply as of that time, for every client. Writes are actually rejected.",
  time: "Rehearsal time",
  timeHelp: (zone: string) => `In the practice's time zone (${zone}).`,
  reason: "Reason",
  reasonHelp: "Optional. Saved in the change history.",
  /** What would be lost by leaving the page, at the start of a sentence. */
  changes: (count: number) => pluralize(count, "unsaved change"),
  unsaved: (count: number) => `${pluralize(count, "change")} not saved`,
  noChanges: "No changes",
  submit: "Save deadline",
  /** If saving ends access at once. */
  submitNow: "Reject legacy insurance now",
  failed: "Nothing was saved",
  conflict:
    "Someone else changed the settings. The current settings are shown above, and your changes are kept. Review them, then save.",
  done: "Deadline saved",
};

/** What saving the deprecation does at once. */
export const deprecationEffect = {
  restored: "Legacy insurance works again",
  restoredHelp: "As soon as you save, writes that contain insurance are accepted again and reads include it.",
  ended: "This takes effect immediately",
  endedUsed: (clients: readonly string[]) =>
    `As soon as you save, writes that contain insurance are rejected and reads omit it. ${pluralize(clients.length, "API client")} used legacy insurance in the last 30 days: ${formatList(clients)}. Nothing is deleted. To undo this, change the mode back to Announce.`,
  endedUnused:
    "As soon as you save, writes that contain insurance are rejected and reads omit it. No API client used legacy insurance in the last 30 days. Nothing is deleted. To undo this, change the mode back to Announce.",
};

/** Describes a change to the deadline, to follow the name of its author: `started enforcing the deadline`. */
export function describeClockChange({ changes }: RecordChange): string {
  const { deprecation_date: date, deprecation_mode: mode, rehearsal_time: rehearsal } = changes;
  return joinChanges(
    date && `moved the deadline from ${formatDay(date.old)} to ${formatDay(date.new)}`,
    mode && (mode.new === "enforce" ? "started enforcing the deadline" : "switched the deadline to announce only"),
    rehearsal &&
      (rehearsal.new === null ? "ended the rehearsal" : `started a rehearsal as of ${formatUtc(rehearsal.new)}`),
  );
}
