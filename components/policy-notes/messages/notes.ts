export const policyNotes = {
  title: "Notes",
  add: "Add note",
  edit: "Edit",
  delete: "Delete",
  editOf: (text: string) => `Edit note: ${text}`,
  deleteOf: (text: string) => `Delete note: ${text}`,
  none: "No notes yet. Notes are for staff only and are never sent to API clients.",
};

export const noteHistory = {
  title: "Changes to notes",
  kinds: { added: "Note added", edited: "Note edited", deleted: "Note deleted" },
  failed: "Couldn't load the changes to notes.",
};
