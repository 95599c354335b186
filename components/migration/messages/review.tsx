import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

/** The findings of a run. */
export const findingsPage = {
  meta: { title: "Migration findings" },
  title: "Findings",
  lead: "Problems in the export to fix, skip or review.",
  csv: "Export CSV",
  ndjson: "Export NDJSON",
  skipAll: "Skip all matching",
  acceptAll: "Accept all matching fixes",
  table: "Findings",
  /** Names a row for screen readers, within a sentence. */
  row: (id: number) => `finding ${id}`,
  noun: "findings",
  noMatch: "No findings match these filters",
  noMatchHelp: "Clear a filter to see more.",
  empty: "No findings",
  emptyHelp: "Every record of the export can be converted as is.",
  selection: "Selected findings",
  selected: (count: number) => `${pluralize(count, "finding")} selected`,
  assign: "Assign",
  reopen: "Reopen",
  skip: "Skip",
  accept: "Accept fixes",
  countFailed: "Couldn't count the findings",
};

export const findingColumn = {
  record: "Record",
  finding: "Finding",
  found: "Found",
  proposed: "Proposed",
  decision: "Decision",
  owner: "Owner",
  due: "Due",
  accept: "Accept fix",
  acceptLabel: (finding: string, record: string) => `Accept fix: “${finding}” for ${record}`,
  correct: "Correct",
  correctLabel: (finding: string, record: string) => `Correct “${finding}” for ${record}`,
};

export const findingFilters = {
  label: "Filter findings",
  names: {
    code: "Finding",
    severity: "Severity",
    decision: "Decision",
    fix: "Fix",
    owner: "Owner",
    patient: "Patient",
    decidable: "Record",
  },
  any: (label: string) => `${label}: any`,
  noOwner: "No owner",
  severities: { error: "error", warning: "warning" },
  decisions: { open: "open", accepted: "fix accepted", corrected: "corrected", skipped: "skipped" },
  fixes: { true: "proposed", false: "none" },
  /** Whether the record of a finding can still be decided on. */
  decidable: { true: "not converted", false: "converted" },
};

/** The state of a finding. */
export const decisionStatus = {
  openError: "Open error",
  openWarning: "Open warning",
  corrected: "Corrected",
  accepted: "Fix accepted",
  skipped: "Skipped",
};

/** A finding in a record. */
export const findingCard = {
  /** The insurance of the finding, before its message. `name` is an ID or `position`. */
  insurance: (name: number | string) => `Insurance ${name}:`,
  pastInsurance: (name: number | string) => `Past insurance ${name}:`,
  position: (number: number) => `number ${number}`,
  proposed: "Proposed:",
  corrected: "Corrected:",
  /** Follows the corrected values. */
  by: (name: string) => `by ${name}`,
  staff: "staff",
  reason: (reason: string) => `Reason: ${reason}`,
  owner: (name: string) => `Owner: ${name}`,
  due: (day: string) => `Due ${day}`,
  assign: "Assign",
  skip: "Skip",
  skipPast: "Skip past insurance",
  correct: "Correct",
  accept: "Accept fix",
  reopen: "Reopen",
};

/** The records of a run. */
export const recordsPage = {
  meta: { title: "Migration records" },
  title: "Records",
  lead: "The patients in the export, in file order.",
  filters: "Filter records",
  verdict: "Result",
  state: "State",
  table: "Records",
  noun: "records",
  noMatch: "No records match these filters",
  noMatchHelp: "Clear a filter to see more.",
};

export const recordColumn = {
  patient: "Patient",
  sourceId: "Source ID",
  verdict: "Result",
  insurance: "Insurance",
  state: "State",
  patientRecord: "Patient record",
  creates: (count: number) => `${count} to create`,
  updates: (count: number) => `${count} to update`,
  unchanged: (count: number) => `${count} unchanged`,
  archives: (count: number) => `${count} to archive`,
  refused: (count: number) => `${count} not converted`,
  none: "None",
};

/** Below the title of a record. */
export const recordFacts = {
  born: (day: ReactNode) => <>Born {day}</>,
  sourceId: (id: ReactNode) => <>Source ID {id}</>,
  copySourceId: "source ID",
  line: (line: number) => `Line ${line}`,
  patientPage: "Patient page",
};

/** A record of a run. */
export const recordPage = {
  meta: { title: "Migration record" },
  export: "Export",
  legacy: "Legacy record",
  purged: "Original deleted",
  purgedHelp: (time: ReactNode) => (
    <>The original records of this run were deleted {time}. The result, decisions and state are kept.</>
  ),
  findings: "Findings",
  noFindings: "No findings in this record",
  current: "Current insurance",
  currentLead: "Export on the left, resulting policy on the right.",
  currentLeadLegacy: "Legacy record on the left, resulting policy on the right.",
  noCurrent: "No current insurance",
  gone: (count: number) =>
    `${pluralize(count, "policy is", "policies are")} missing from the export and will be archived.`,
  cards: "Card images",
  cardRanks: { 1: "Primary card", 2: "Secondary card", 3: "Tertiary card" } as Record<string, string>,
  card: (rank: string) => `Card of rank ${rank}`,
  /** `card` is from `cardRanks` or `card`. */
  cardImages: (card: string, images: number) => `${card}: ${pluralize(images, "image")}`,
  /** Follows `cardImages`. */
  cardProblem: (problem: string) => `, ${problem}`,
  past: "Past insurance",
  pastLead: "Each becomes an archived policy with its original dates.",
};

/** An insurance of the source beside the policy it becomes. */
export const comparison = {
  title: (id: number | string) => `Insurance ${id}`,
  noId: "Insurance without an ID",
  /** Before its outcome. */
  heading: (id: number | string | null) => (id === null ? "Insurance without an ID:" : `Insurance ${id}:`),
  skipped: "skipped",
  outcomes: {
    create: "creates a policy",
    update: "changes the policy",
    unchanged: "already matches the policy",
    archive: "becomes an archived policy",
    refused: "not converted",
  },
  /** `outcome` is one of `outcomes`. */
  changes: (outcome: string, fields: string) => `${outcome} (${fields})`,
  field: "Field",
  policy: "Policy",
};

/** The differences that verification found. */
export const differences = {
  title: "Differences",
  lead: "Found when the run was verified.",
  /** `place` is one of the two stores. */
  place: (place: string, field: string) => `${place}, ${field}`,
};
