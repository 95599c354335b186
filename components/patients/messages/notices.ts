// Warnings above a patient's insurance.

/** The page could not be refreshed. Each reason is a sentence. */
export const outdatedNotice = {
  title: "Couldn't refresh this page",
  text: (reason: string) => `${reason} What you see may be out of date. What you typed is kept.`,
  deleted: "This patient was deleted or is no longer in your practice.",
  signedOut: "You are signed out.",
  offline: "The server can't be reached.",
  failed: "The server couldn't load the patient.",
};

/** An admin has turned Insurance Versioning on or off while the user has a form open. */
export const versioningNotice = {
  onTitle: "Insurance Versioning was turned on for this practice while you were working",
  onText:
    "What you typed is kept but can no longer be saved here. Copy what you need, then discard the changes to see the policies.",
  offTitle: "Insurance Versioning was turned off for this practice while you were working",
  offText: "Your open form is kept. Save or cancel it to see insurance by priority.",
};
