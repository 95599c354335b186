/** The form that starts a run. */
export const newRun = {
  meta: { title: "New migration run" },
  title: "New run",
  lead: "Upload an export, or check the legacy records in Crosswalk. Nothing is written until you convert.",
  /** If the export corrects that of an earlier run. */
  titleCorrected: (run: number) => `Corrected export of run ${run}`,
  leadCorrected: (run: number) =>
    `Decisions on unchanged records are kept. Corrections are kept if the export still has the old value. Run ${run} is canceled once this export has been read.`,
  failed: "The run was not started",
  export: "Legacy export",
  exportHelp:
    "NDJSON, a JSON array, saved responses of GET /api/2.0/patients/, or CSV or Excel (.xlsx) with one insurance per row. May be compressed with gzip or zip. Up to 8 GiB.",
  file: (name: string, size: string) => `${name}, ${size}`,
  payers: "Payer list",
  payersHelp:
    "NDJSON, a JSON array or CSV. Required if the export refers to payers by IDs that this practice doesn't have.",
  payersFormat: "The payer list must be NDJSON, a JSON array or CSV, not a workbook or zip file.",
  asOf: "Check as of this date",
  asOfHelp: "The checks treat this date as today.",
  submit: "Upload and check",
  noPatientId: "Choose the column that has the patient ID.",
};

/** Starts a run over the practice's own records, without an upload. */
export const practiceRecords = {
  title: "This practice's legacy records",
  lead: "Compares the legacy records in Crosswalk with their policies. No upload needed.",
  submit: "Check legacy records",
};

/** Maps the columns of a CSV file to fields. */
export const columnMapping = {
  legend: "Columns",
  help: "Matched by heading. Columns without a field are ignored.",
  column: "Column",
  example: "First value",
  field: "Field",
  noHeading: "(no heading)",
  select: (heading: string) => `Column ${heading}`,
  ignored: "Ignored",
  patient: "Patient",
  insurance: "Insurance",
  /** `group` is `patient` or `insurance`. */
  option: (group: string, field: string) => `${group}: ${field}`,
};
