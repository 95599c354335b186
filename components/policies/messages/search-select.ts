// The list of a field with many choices, such as payers, plans or states.

export const searchSelect = {
  /** For screen readers. `label` is the label of the field. */
  search: (label: string) => `Search ${label.toLowerCase()}`,
  placeholder: "Type to search",
  keepTyped: (typed: string) => `Use “${typed}” as typed`,
  clear: (label: string) => `Clear ${label.toLowerCase()}`,
  searching: "Searching…",
  emptyList: "The list is empty. Type a name.",
  noMatches: "No matches",
};
