export const palette = {
  short: "Type at least two letters.",
  nothing: "No matches.",
  patients: "Patients",
  pages: "Pages",
  actions: "Actions",
  theme: (name: string) => `Theme: ${name.toLowerCase()}`,
  rows: (height: string) => `Rows: ${height.toLowerCase()}`,
  shortcuts: "Show keyboard shortcuts",
};

export const paletteLinks = {
  practice: (name: string) => `Practice: ${name}`,
  readiness: "Readiness report",
  newRun: "Start a migration run",
  members: "Settings: members",
  audit: "Settings: audit",
  help: "Help",
  glossary: "Help: glossary",
  news: "Help: what's new",
  addPolicy: "Add policy",
  retryEvents: "Send failed events again",
  retrySync: "Retry failed sync events",
  registerClient: "Register API client",
  addMember: "Add member",
  versioning: "Turn Insurance Versioning on or off",
};
