// The timeline of changes to a patient's record and policies.
import type { ReactNode } from "react";

export const timeline = {
  title: "Timeline",
  none: "No changes yet",
  noneHelp: "Changes to the patient record and the policies appear here.",
  failed: "Couldn't refresh the timeline",
  showEarlier: "Show earlier",
  /** The reason that a person gave. */
  reason: (reason: string) => `“${reason}”`,
  /** Who made a change, how and when. */
  byline: (actor: string, source: string, time: ReactNode) => (
    <>
      {actor}, {source} · {time}
    </>
  ),
  /** A change that was imported later than it happened. */
  importedByline: (actor: string, source: string, time: ReactNode, imported: ReactNode) => (
    <>
      {actor}, {source} · {time}, imported {imported}
    </>
  ),
  /** After a line, if the same change was made several times. */
  times: (count: number) => `×${count}`,
};

/** Changes to a policy, after its name. `rank` is a phrase such as "primary". */
export const policyChanges = {
  created: (rank: string) => `Added as ${rank}`,
  createdWithoutRank: "Added without a rank",
  archived: "Archived",
  archivedBecause: (reason: string) => `Archived: ${reason}`,
  restored: (rank: string) => `Restored as ${rank}`,
  restoredWithoutRank: "Restored without a rank",
  deleted: "Deleted permanently",
  imageAdded: "Card image added",
  imageDeleted: "Card image deleted",
  imagesMoved: "Card images moved",
  moved: (from: string, to: string) => `Moved from ${from} to ${to}`,
  rankGained: (to: string) => `Became ${to}`,
  rankLost: (from: string) => `No longer ${from}`,
};

/** Changes to the patient record. `cards` is a list such as "Primary and secondary". */
export const recordChanges = {
  created: "Patient record created",
  deleted: "Patient record deleted",
  cards: (cards: string, count: number) => (count === 1 ? `${cards} card changed` : `${cards} cards changed`),
  legacy: (changes: string) => `Legacy record: ${changes}`,
  coverageAdded: (rank: string) => `${rank} coverage added`,
  coverageChanged: (rank: string) => `${rank} coverage changed`,
  coverageRemoved: (rank: string) => `${rank} coverage removed`,
};

/** Changes to fields of a policy or of the patient record. `field` is a label such as "Phone". */
export const fieldChanges = {
  none: "Saved without changes",
  added: (field: string, value: string) => `${field} added: ${value}`,
  removed: (field: string, value: string) => `${field} removed: ${value}`,
  changed: (field: string, from: string, to: string) => `${field} changed: ${from} → ${to}`,
  /** `fields` is a list such as "Phone, ZIP code, and 2 more". */
  several: (fields: string) => `${fields} changed`,
};

/** Fields of the patient record whose names say too little, in the middle of a sentence. */
export const patientFields = {
  dob: "date of birth",
  patient_dob: "patient's date of birth",
  ssn: "SSN",
  primary_physician: "physician",
  caregiver_practice: "practice",
};
