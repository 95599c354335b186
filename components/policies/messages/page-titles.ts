// Titles of the browser's tabs.

export const pageTitles = {
  policy: "Policy",
  add: "Add policy",
  edit: "Edit policy",
  history: "Policy history",
};
