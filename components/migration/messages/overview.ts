/** The overview of the migration. */
export const overview = {
  title: "Migration",
  lead: "Move insurance from the patient record to policies: check, convert, verify.",
  preview: "Preview legacy write",
  report: "Readiness report",
  newRun: "New run",
  readiness: "Readiness",
  runs: "Runs",
  table: "Migration runs",
  empty: "No imports yet",
  emptyHelp: "Upload a legacy export to check it. Nothing is written until you convert it.",
};

export const runColumn = {
  run: "Run",
  file: "File",
  size: "Size",
  state: "State",
  startedBy: "Started by",
  started: "Started",
};
