export const shortcuts = {
  title: "Keyboard shortcuts",
  /** Between two keys. */
  together: "+",
  inOrder: "then",
  either: "/",
  palette: "Go to a patient, page or action",
  search: "Search patients",
  help: "Show these shortcuts",
  page: (label: string) => `Go to ${label}`,
  rows: "Go to the table, and move between its rows (also ↓ and ↑)",
  open: "Open the row",
  select: "Select the row; pick up or drop a policy",
  compare: "In a history: compare with the current version",
  hint: "In a field with a question mark: show what it means",
  escape: "Close the dialog or menu; clear or leave the search",
};
