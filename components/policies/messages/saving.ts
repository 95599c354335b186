// Confirmations and errors after saving, archiving or restoring a policy.

/** Toasts after a policy is saved. */
export const policySaved = {
  added: (policy: string) => `${policy} added`,
  addedSyncPending: (policy: string) => `${policy} added. Sync pending: the legacy record will be updated shortly.`,
  saved: "Policy saved",
  savedSyncPending: "Policy saved. Sync pending: the legacy record will be updated shortly.",
  alreadySaved: "Your first attempt already saved the policy",
};

/** Toasts after Undo of a change of ranks. */
export const rankUndo = {
  done: "Change undone. The policies are back to their previous state.",
  changed: "Nothing was undone: one of these policies has changed since.",
  failed: (reason: string) => `Nothing was undone. ${reason}`,
  /** The response was lost. */
  uncertain: (reason: string) => `The change may have been undone. ${reason}`,
  /** Reason in the version history. */
  reason: "Rank change undone",
};

/** The response to a preview was lost. */
export const previewLost = "The server didn't respond. Nothing was saved. Check the connection and try again.";

/** Errors that replace the server's, with what has changed since the form was opened. */
export const saveFailure = {
  rankTaken: (holder: string, rank: string) => `${holder} is ${rank} now. Choose below what happens to it.`,
  rankFree: (rank: string) => `No policy is ${rank} anymore.`,
  archived: "Someone archived this policy after you opened it.",
};
