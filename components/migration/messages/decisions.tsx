// Dialogs and forms that load after their page.
import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

/** Decides on findings. */
export const decisionDialog = {
  accept: {
    title: "Accept proposed fixes?",
    description:
      "The conversion applies these fixes. The export itself is not changed. You can reopen the findings until then.",
    note: "Findings without a proposed fix and records that are already converted are not affected.",
    submit: (count: number) => `Accept fixes for ${pluralize(count, "finding")}`,
  },
  skip: {
    title: "Skip findings?",
    description:
      "If you skip an error, its record is not converted. If the error is in a past insurance, only that insurance is skipped. A skipped warning counts as resolved. You can reopen the findings until the conversion.",
    note: "Records that are already converted are not affected.",
    submit: (count: number) => `Skip ${pluralize(count, "finding")}`,
  },
  reopen: {
    title: "Reopen findings?",
    description: "Undoes the decisions. The findings are open again.",
    note: "Records that are already converted are not affected.",
    submit: (count: number) => `Reopen ${pluralize(count, "finding")}`,
  },
  assign: {
    title: "Assign findings",
    description: "Set an owner, a due date and a note. Fields you leave blank stay unchanged.",
    note: "",
    submit: (count: number) => `Assign ${pluralize(count, "finding")}`,
  },
};

/** The fields of the dialog. */
export const decisionFields = {
  failed: "No decision was saved",
  reason: "Reason",
  reasonHelp: "Shown next to each record in the report.",
  owner: "Owner",
  unchanged: "Unchanged",
  noOwner: "No owner",
  due: "Due date",
  note: "Note",
};

/** What a decision changed, as the staff API returns it. */
export interface DecisionResult {
  decided: number;
  passed_over: number;
  /** Findings that a correction doesn't resolve, counted in `passed_over` too. */
  unresolved?: number;
  new_errors?: number;
}

const DONE = {
  accept: (count: number) => `${pluralize(count, "finding")} fixed.`,
  skip: (count: number) => `${pluralize(count, "finding")} skipped.`,
  reopen: (count: number) => `${pluralize(count, "finding")} reopened.`,
  assign: (count: number) => `${pluralize(count, "finding")} assigned.`,
  correct: (count: number) => `${pluralize(count, "finding")} corrected.`,
};

/** Says what a decision changed. */
export function decisionText(result: DecisionResult, kind: keyof typeof DONE): string {
  const { decided, passed_over: passedOver, unresolved = 0, new_errors: found = 0 } = result;
  const others = passedOver - unresolved;
  return [
    DONE[kind](decided),
    unresolved > 0 && `${pluralize(unresolved, "other")} not corrected: the record would have another error.`,
    others > 0 && `${pluralize(others, "other")} not affected: no fix, already decided or converted.`,
    found > 0 && `This revealed ${pluralize(found, "new error")}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Corrects a finding of the list. */
export const correctionDialog = {
  title: (finding: string) => `Correct “${finding}”`,
  /** `record` is a name, `message` a sentence. */
  description: (record: string, message: string) => `${record}. ${message}`,
  failed: "Couldn't load the record",
  resolved: "Someone else resolved this finding in the meantime.",
};

/** Asks for the correct values of a finding. */
export const correctionForm = {
  label: "Correction",
  submit: "Save correction",
  all: (count: number) => `Correct all ${formatNumber(count)} findings`,
  first: (count: number) => `Correct the first ${formatNumber(count)} findings`,
  cancel: "Cancel",
  failed: "No correction was saved",
  /** `findings` is from `alike` or `moreAlike`. */
  sameValue: (findings: string, value: ReactNode) => (
    <>
      {findings} of this run have the same value: {value}
    </>
  ),
  noValue: (findings: string, field: string) => `${findings} of this run have no ${field}.`,
  alike: (count: number) => pluralize(count, "open finding"),
  moreAlike: (count: number) => `More than ${pluralize(count, "open finding")}`,
  same: (value: string) => `Same as other insurance: ${value}`,
  self: "Self",
  notEntered: "Not entered",
  current: (value: string) => `${value} (current)`,
  payer: "Payer",
  payerPlaceholder: "Select a payer",
};
