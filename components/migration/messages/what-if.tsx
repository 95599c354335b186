import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

/** Previews a legacy write. */
export const whatIf = {
  title: "Preview a legacy write",
  lead: "Tries a legacy write in four scenarios and undoes each. Nothing is saved.",
  patient: "Patient ID",
  body: "PUT or PATCH body",
  notJson: (error: string) => `The body is not valid JSON: ${error}`,
  failed: "Couldn't preview this write",
  submit: "Preview write",
};

/** Reads a recording of a client's calls. */
export const recordedCalls = {
  label: "Recorded calls",
  help: "Optional. A HAR file of a client's calls, or an access log in combined format or JSON lines. The file stays in your browser.",
  writes: (count: number) => `${pluralize(count, "legacy write")} with a body`,
  writesLimit: (count: number) => `You can select one of the first ${formatNumber(count)}.`,
  write: (method: string, patient: number | string, fields: string) => `${method} patient ${patient}, ${fields}`,
};

/** The legacy endpoints used in a recording. */
export const recordedUses = {
  none: (read: string) => `${read} None of them uses legacy insurance.`,
  read: (calls: number) => `${pluralize(calls, "call")} read.`,
  readSkipped: (calls: number, skipped: number) =>
    `${pluralize(calls, "call")} read, ${pluralize(skipped, "other line")} skipped.`,
  most: (count: number) => `The ${count} most frequent uses of legacy insurance:`,
  label: "Legacy insurance usage",
  agent: (agent: string) => `by ${agent}`,
  instead: (call: ReactNode) => <>Use instead: {call}</>,
};

/** The effect of a legacy write in each scenario. */
export const rehearsal = {
  title: (patient: string) => `Effect on ${patient}`,
  calls: "Equivalent policy calls",
  callsLead:
    "With Insurance Versioning on, these calls change the policies in the same way. $TOKEN is the client's access token.",
  noCalls: "No calls needed: the write doesn't change insurance.",
  copyCall: "call",
  before: (isOn: boolean) =>
    isOn ? "Insurance Versioning on, before the deadline" : "Insurance Versioning off, before the deadline",
  after: (isOn: boolean) =>
    isOn
      ? "Insurance Versioning on, after the enforced deadline"
      : "Insurance Versioning off, after the enforced deadline",
  rejected: (code: number | string, message: string) => `Rejected with ${code}: ${message}`,
  legacy: "Legacy records",
  policies: "Policies and card images",
  noChanges: "No changes",
  ranks: ["primary", "secondary", "tertiary"],
  unranked: "unranked",
  newRecord: "New record",
  record: (id: number) => `Record ${id}`,
  newPolicy: "New policy",
  policy: (id: number | null) => `Policy ${id}`,
  /** `record` is one of the four names above, `kind` the change: `updated`. */
  change: (record: string, rank: string, kind: string) => `${record}, ${rank}: ${kind}`,
  changeOfPayer: (record: string, rank: string, payer: string, kind: string) => `${record}, ${rank}, ${payer}: ${kind}`,
  /** `change` is from `change`. */
  withFields: (change: string, fields: string) => `${change} (${fields})`,
  withImages: (change: string, images: number) => `${change}, with ${pluralize(images, "card image")}`,
};
