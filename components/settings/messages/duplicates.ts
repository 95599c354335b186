/** The setting for duplicate patients. */
export const duplicates = {
  title: "Duplicate patients",
  lead: "What happens if an API client adds a patient with the name, date of birth and sex of an existing one. Imports don't use this setting.",
  rejected: "Rejected",
  allowed: "Allowed",
  stateRejected: "The client receives the ID of the existing patient (409) and can still add the patient on purpose.",
  stateAllowed: "The patient is added a second time.",
  reject: "Reject duplicates",
  allow: "Allow duplicates",
  failed: "The setting was not changed",
  conflict: "Someone else changed the settings. The current settings are shown. Review them, then try again.",
  done: (isRejected: boolean) => (isRejected ? "Duplicates are rejected" : "Duplicates are allowed"),
  historyLabel: "Changes to the setting for duplicate patients",
  /** In the history, after the name of the author. */
  changed: (isRejected: boolean) => (isRejected ? "rejected duplicates" : "allowed duplicates"),
};
