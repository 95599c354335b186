import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";
import { partCounts } from "./terms";

type Parts = Parameters<typeof partCounts>[0];

/** The readiness report. */
export const readinessPage = {
  meta: { title: "Readiness report" },
  title: "Readiness report",
  announced: (day: ReactNode) => <>Deadline for legacy insurance: {day}, announced only.</>,
  enforced: (day: ReactNode) => <>Deadline for legacy insurance: {day}, enforced.</>,
  csv: "Export CSV",
  print: "Print",
  signOff: "Sign off",
  progress: "Progress",
  none: "No export checked yet",
  noneHelp: "Check an export to see which records can be converted.",
  unready: "Records to review or convert",
  unreadyCount: (count: number, all: number) => `${formatNumber(count)} of ${pluralize(all, "record")}.`,
  unreadyFirst: (shown: number, all: number) =>
    `The first ${formatNumber(shown)} of ${formatNumber(all)}, starting with those that need review. The CSV file has all of them.`,
  allReady: "Every record is converted and verified.",
  callers: "Clients that still use legacy insurance",
  callersLead: "In the last 30 days, with the calls that replace them.",
  noCallers: "None",
  signOffs: "Go or no-go",
};

export const readinessBar = {
  percent: "converted and verified",
  run: (run: number, source: string) => `Run ${run}, ${source}`,
  noRun: "No run yet",
  total: (count: number) => pluralize(count, "record"),
};

/** Readiness by day. */
export const readinessHistory = {
  title: "Progress by day",
  lead: "Share of records that are converted and verified.",
  figures: "Figures by day",
  label: "Readiness by day",
  day: "Day",
};

export const readinessChart = {
  deadline: "Deadline",
  today: "Today",
  rehearsal: "Rehearsal",
  verified: (count: number) => `${formatNumber(count)} verified`,
  others: (convertible: number, review: number, skipped: number) =>
    `${formatNumber(convertible)} ready to convert, ${formatNumber(review)} to review, ${formatNumber(skipped)} skipped`,
};

export const callers = {
  client: "Client",
  endpoint: "Endpoint",
  last: "Last call",
  reads: "Reads",
  writes: "Writes",
  /** Both, on a phone. */
  counts: (reads: number, writes: number) => `${pluralize(reads, "read")}, ${pluralize(writes, "write")}`,
  /** `call` is the call that replaces a legacy call. */
  instead: (call: ReactNode) => <>Use instead: {call}</>,
};

export const unreadyRecords = {
  record: "Record",
  needs: "Status",
  reason: "Reason",
  owner: "Owner",
  due: "Due",
};

/** The go and no-go decisions. */
export const signOffs = {
  none: "No sign-offs yet",
  go: "Go",
  noGo: "No-go",
  figures: (name: string, time: ReactNode, percent: number, parts: Parts) => (
    <>
      {name}, {time}, at {percent}%: {partCounts(parts)}
    </>
  ),
};

/** Signs off. */
export const signOffDialog = {
  title: "Sign off?",
  description: "Saved with your name and these figures. You can't change it, but you can sign off again later.",
  submit: "Sign off",
  submitAs: { go: "Sign off as Go", no_go: "Sign off as No-go" },
  failed: "The sign-off was not saved",
  figures: (percent: number, parts: Parts) => `${percent}% done: ${partCounts(parts)}.`,
  decision: "Decision",
  go: "Go",
  goHelp: "The practice is ready to work only with policies.",
  noGo: "No-go",
  noGoHelp: "Not yet. The report lists what is missing.",
  reason: "Basis for the decision",
};
