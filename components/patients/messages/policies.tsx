// A patient's policies, in a practice with Insurance Versioning.

/** The parts of the page, which are tabs in a narrow window. */
export const patientParts = {
  label: "This patient's insurance",
  policies: "Policies",
  timeline: "Timeline",
  legacy: "Legacy view",
};

export const activePolicies = {
  title: "Active policies",
  changeOrder: "Change order",
  none: "No active policy",
  add: "Add policy",
  addHelp: "Add the patient's insurance.",
  addOrRestoreHelp: "Add the patient's insurance, or restore an archived policy below.",
  /** For users who can't change anything. */
  viewerHelp: "No active insurance on file.",
};

/** An active policy. */
export const policyCard = {
  label: (rank: string, policy: string) => `${rank}: ${policy}`,
  edit: "Edit",
  editPolicy: (policy: string) => `Edit ${policy}`,
  replace: "Replace policy",
  replacePolicy: (policy: string) => `Replace policy ${policy}`,
  noPlan: "No plan",
  noImages: "No card images",
  /** `side` is a phrase such as "front". */
  view: (side: string, policy: string) => `View ${side} of the card of ${policy}`,
};

/** Archived policies. */
export const archivedPolicies = {
  title: "Archived policies",
  archived: "Archived",
  restore: "Restore",
  restorePolicy: (policy: string) => `Restore ${policy}`,
  /** Who archived a policy, and why. `reason` is a phrase such as "on request", `note` what the person wrote. */
  by: (person: string, reason: string) => `${person}: ${reason}`,
  note: (note: string) => `“${note}”`,
  reasonWithNote: (reason: string, note: string) => `${reason}, “${note}”`,
  noReason: "no reason given",
};
