// Titles of the browser's tabs.

export const pageTitles = {
  policy: "Policy",
  add: "Add policy",
  replace: "Replace policy",
  edit: "Edit policy",
  history: "Policy history",
};
