/** Dialogs of any kind. */
export const dialog = {
  close: "Close",
  cancel: "Cancel",
  nothingChanged: "Nothing was changed",
  reasonHelp: "Optional. Saved with the change.",
};

/** Shows a password or secret once. */
export const secretDialog = {
  isStored: "I have stored it",
  isStoredHelp: "You won't be able to see it again.",
  done: "Done",
};

/** Asks before the user leaves a page with unsaved changes. */
export const leaveDialog = {
  title: "Leave without saving?",
  /** `what` is the start of a sentence: `3 changes`. */
  description: (what: string) => `${what} will be lost. This can't be undone.`,
  stay: "Stay here",
  leave: "Discard changes and leave",
};

/** Messages in the corner of the page. */
export const toast = {
  /** The accessible name of a message. */
  label: "Notification",
  undo: "Undo",
  dismiss: "Dismiss",
};
