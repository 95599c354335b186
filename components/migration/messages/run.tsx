import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

/** The breadcrumb of the migration pages. */
export const trail = {
  migration: "Migration",
  run: (id: number) => `Run ${id}`,
};

/** The page of a run. */
export const runPage = {
  meta: { title: "Migration run" },
  title: (id: number) => `Run ${id}`,
  subtitle: (source: string, starter: string, time: ReactNode) => (
    <>
      {source}, started by {starter} {time}
    </>
  ),
  resume: "Resume run",
  upload: "Upload a corrected export",
  cancel: "Cancel run",
  noChange: "No change was made",
  outOfDate: "This page may be out of date",
  paused: "The run is paused",
  /** `error` is a sentence. */
  pausedHelp: (error: string) => `${error} It resumes automatically.`,
  failed: "The run failed",
  failedHelp: (error: string) => `${error} Completed work is kept.`,
  failedResumable: (error: string) => `${error} Completed work is kept, and you can resume the run.`,
  /** Follows one of both. */
  rollingBack: "Some patients may not have been rolled back. To finish, roll back the run again.",
};

/** The steps of a run. */
export const stepper = {
  label: "Run steps",
  names: { upload: "Upload", check: "Check", review: "Review", convert: "Convert", verify: "Verify" },
  /** For screen readers, after the name. */
  done: "(done)",
};

/** The progress of a run. `progress` is from `bytes` or `records`. */
export const progress = {
  bytes: (done: string, total: string) => `${done} of ${total}`,
  records: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)} records`,
  withTime: (done: string, duration: string) => `${done}, ${duration} left`,
};

/** Confirms canceling a run. */
export const cancelDialog = {
  title: (run: number) => `Cancel run ${run}?`,
  description: "A canceled run can't be resumed. To convert these records, start a new run.",
  submit: "Cancel run",
  keep: "Keep run",
  failed: "The run was not canceled",
  reasonHelp: "Optional. Saved with the run.",
  upload: "The upload stops. Uploaded parts are deleted later.",
  unchanged: "No patient records were changed.",
  findings: "Findings are kept.",
  check: "The check stops. Findings so far are kept.",
  decisions: "Accepted fixes and skipped records have no effect.",
  conversion: (done: number, total: number) =>
    `The conversion stops after the current batch: ${pluralize(done, "patient")} of ${formatNumber(total)} done.`,
  conversionFailed: (done: number, total: number) =>
    `The conversion is not finished: ${pluralize(done, "patient")} of ${formatNumber(total)} done.`,
  verification: (done: number, total: number) =>
    `The verification stops after the current batch: ${pluralize(done, "patient")} of ${formatNumber(total)} done.`,
  verificationFailed: (done: number, total: number) =>
    `The verification is not finished: ${pluralize(done, "patient")} of ${formatNumber(total)} done.`,
  converted: (count: number) => `Converted patients stay converted (${formatNumber(count)} so far).`,
  convertedFile: (count: number) =>
    `Converted patients stay converted (${formatNumber(count)} so far). An admin can roll them back.`,
};

/** The step Upload. */
export const uploadStep = {
  practice: "This practice's legacy records, as of the start of the run. Nothing was uploaded.",
  file: "File",
  size: "Size",
  asOf: "As of",
  includes: "Includes",
  payers: (count: number) => (count === 0 ? "No payers" : pluralize(count, "payer")),
  payersAndColumns: (payers: number, columns: number) =>
    `${payers === 0 ? "No payers" : pluralize(payers, "payer")}, ${pluralize(columns, "column")} mapped`,
  incomplete: "The upload is not complete.",
  wrongFile: (expected: string, expectedSize: string, chosen: string, chosenSize: string) =>
    `This run expects ${expected} (${expectedSize}), not ${chosen} (${chosenSize}).`,
  waiting: "Connection lost. Trying again…",
  comparing: "Comparing with the parts already uploaded",
  uploading: "Uploading",
  label: "Upload",
  stay: "Stay on this page until the upload is complete. Parts already uploaded are kept.",
  changed: "This file differs from the one uploaded before. Uploading its changed parts again.",
  unreadable: (file: string) =>
    `${file} can't be read. If it was edited, moved or deleted after you chose it, choose it again.`,
  failed: "Upload failed",
  choose: (file: ReactNode) => <>The file is not uploaded yet. Choose {file} to upload it.</>,
  chooseAgain: (percent: number, file: ReactNode) => (
    <>
      {percent}% of the file is uploaded. Choose {file} again to upload the rest.
    </>
  ),
  chooseFile: "Choose file",
  start: "Upload now",
};

/** The step Check. */
export const checkStep = {
  none: "No records checked yet",
  patients: "Patients",
  insurances: "Insurance records",
  total: (count: number) => pluralize(count, "record"),
  ready: "Ready to convert",
  convertible: (count: number) => `${pluralize(count, "record")} can be converted.`,
  convertibleSkipped: (count: number, skipped: number) =>
    `${pluralize(count, "record")} can be converted, ${formatNumber(skipped)} will be skipped.`,
  findings: "Findings",
  findingsLead: "Records with errors are not converted. Records with warnings are converted, but should be reviewed.",
  noFindings: "No findings",
};

/** Warns about open errors. */
export const blocked = {
  title: (records: number, errors: number) =>
    `Resolve ${pluralize(records, "record")} with ${pluralize(errors, "open error")} before you convert`,
  help: "Accept a proposed fix, correct the value, or skip the record with a reason.",
  review: "Review errors",
};

/** The table of findings by code. */
export const findingGroups = {
  label: "Findings by type",
  finding: "Finding",
  severity: "Severity",
  found: "Found",
  open: "Open",
  fixable: "With a fix",
  /** On a phone. */
  fixableCount: (count: number) => `${formatNumber(count)} with a fix`,
  error: "Error",
  warning: "Warning",
};

/** The step Convert. */
export const convertStep = {
  stale: (count: number) => `${pluralize(count, "record")} changed after the check`,
  staleHelp: "They were not converted, and have been checked again. Review them, then convert again.",
  records: "Records",
  plan: (patients: number, skipped: number) =>
    `${pluralize(patients, "patient")} will be converted, ${formatNumber(skipped)} skipped. Each patient is converted completely or not at all, and new versions refer to this run.`,
  lead: "The state of each patient in the export.",
  rollBack: "Roll back run",
  convert: (patients: number) => `Convert ${pluralize(patients, "patient")}`,
  adminsOnly: "Only admins can convert or roll back a run.",
  states: "Records by state",
};

/** How long a run's data is kept. */
export const retention = {
  title: "Retention",
  purged: (time: ReactNode) => (
    <>
      The records of the export, and what the run replaced, were deleted {time}. The run can no longer be verified or
      rolled back.
    </>
  ),
  until: (time: ReactNode) => (
    <>
      The records of the export, and what the run replaced, are deleted {time}. The run can be rolled back until then.
    </>
  ),
  untilRolledBack: (time: ReactNode) => <>The records of the export, and what the run removed, are deleted {time}.</>,
  later: (days: number) =>
    `The records of the export, and what the run replaces, are deleted ${pluralize(days, "day")} after the run is verified, rolled back or canceled.`,
  events: (days: number) => `Webhook events are kept for ${pluralize(days, "day")}.`,
  audit: "The audit log, results and decisions are kept.",
};

/** What a rollback did with payers. */
export const restoredPayers = {
  title: "Payers",
  lead: (removed: number, restored: number) => `${formatNumber(removed)} removed, ${formatNumber(restored)} restored.`,
  label: "Payers kept",
  used: (payer: string) => `${payer} was kept: insurance records or plans use it.`,
  changed: (payer: string) => `${payer} was kept: it was edited after the conversion.`,
};

/** The step Verify. */
export const verifyStep = {
  failed: "Nothing was verified",
  noDifferences: "No differences",
  matched: (patients: number, time: ReactNode) => (
    <>
      The legacy records and policies of {pluralize(patients, "patient")} match each other and the export in every
      field. Verified {time}.
    </>
  ),
  differences: (patients: number) => pluralize(patients, "patient with differences", "patients with differences"),
  differencesHelp: "They have values that come from neither the export nor a later change.",
  show: "Show differences",
  patients: "Patients compared",
  policies: "Policies compared",
  images: "Card images (fully read)",
  imageCounts: (compared: number, read: number) => `${formatNumber(compared)} (${formatNumber(read)})`,
  changedSince: "Edited since",
  help: "Verification compares every converted patient: the export with the legacy record, the legacy record with the policy, the policy with its history, and card images by their hashes.",
  again: "Verify again",
  submit: "Verify run",
};
