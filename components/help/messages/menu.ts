/** On every page, so it is apart from the words of the help pages. */
export const helpMenu = {
  trigger: "Help",
  triggerWithNews: "Help (new entries in what's new)",
  guide: "Staff guide",
  shortcuts: "Keyboard shortcuts",
  glossary: "Glossary",
  news: "What's new",
  newEntries: "New",
  docs: "API documentation",
};
