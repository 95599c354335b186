export const noteDialog = {
  addTitle: "Add note",
  editTitle: "Edit note",
  deleteTitle: "Delete this note?",
  deleteDescription: "The note is removed from the policy. Its text stays in the history.",
  label: "Note",
  help: (max: number) =>
    `For staff only, at most ${max.toLocaleString("en-US")} characters. Example: Called Aetna 11/3, rep said copay waived.`,
  tooLong: (max: number) => `Shorten the note to ${max.toLocaleString("en-US")} characters or fewer.`,
  add: "Add note",
  save: "Save note",
  delete: "Delete note",
  failedTitle: "The note was not saved",
  conflict: "Someone else changed this note. Close this dialog to see the current text.",
};
