// The page of a policy.
import type { ReactNode } from "react";

export const policyPage = {
  archive: "Archive policy",
  edit: "Edit policy",
  restore: "Restore policy",
  delete: "Delete permanently",
  refreshFailed: "Couldn't refresh this policy",
  outdated: (reason: string) => `What you see may be out of date. ${reason}`,
  atAGlance: "At a glance",
  cardImages: "Card images",
  details: "Details",
  history: "History",
};

/** The line below the title. */
export const policyMeta = {
  archived: "Archived",
  /** An archived policy's rank, a phrase such as "primary". */
  formerRank: (rank: string) => `Was ${rank}`,
  /** `name` is a link, `born` a date. */
  patient: (name: ReactNode, born: ReactNode) => (
    <>
      {name}, born {born}
    </>
  ),
  version: (version: number, changed: ReactNode) => (
    <>
      Version {version}, changed {changed}
    </>
  ),
  id: (id: ReactNode) => <>Policy {id}</>,
  /** What the button that copies the ID copies. */
  copyId: "policy ID",
};

/** The notice of an archived policy. */
export const archivedNotice = {
  title: "Archived",
  titleWithTime: (time: ReactNode) => <>Archived {time}</>,
  readOnly: "Archived policies are read-only. Restore this policy to edit it.",
  /** `reason` is a sentence such as "Replaced as primary". */
  reason: (reason: string) => `${reason}. Archived policies are read-only. Restore this policy to edit it.`,
};

/** The section with all fields. */
export const policyDetails = {
  notEntered: "Not entered",
  /** No relationship. */
  self: "Self",
  /** Groups of fields without any value. */
  notOnFile: (groups: string) => `Not on file: ${groups}`,
};
