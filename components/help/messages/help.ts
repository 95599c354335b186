export const helpPage = {
  title: "Help",
  lead: "Guides for the front desk and billing, a glossary, and recent changes.",
  guides: "Staff guide",
  more: "More help",
  glossary: { title: "Glossary", summary: "Coverage and migration terms, in plain words." },
  news: { title: "What's new", summary: "Recent changes that you may notice." },
  docs: { title: "API documentation", summary: "For developers: API guides and reference." },
  nav: "Staff guide",
  breadcrumb: "Breadcrumb",
};

export const glossaryPage = {
  title: "Glossary",
  lead: "The same definitions open from the question marks next to fields.",
};

export const newsPage = {
  title: "What's new",
  lead: "Recent changes, newest first.",
  forAdmins: "For admins",
};
