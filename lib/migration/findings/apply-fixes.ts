import { isRecord, type RawRecord } from "@/lib/migration/record/raw-record";
import type { FindingRow } from "./finding";

/** Applies accepted fixes to a record, in the order of the findings. */
export function applyFixes(raw: RawRecord, findings: readonly FindingRow[]): RawRecord {
  const accepted = findings.filter(({ decision, fix }) => decision === "accepted" && fix !== null);
  return accepted.reduce(applyFix, raw);
}

function applyFix(record: RawRecord, { fix, list, position }: FindingRow): RawRecord {
  const values = fix?.values ?? {};
  if (position === null) return { ...record, ...values };
  // Runs checked by earlier releases have findings on current insurances only.
  const field = list ?? "insurances";
  const entries = record[field];
  if (!Array.isArray(entries)) return record;
  const mended = entries.map((entry, at) => (at === position && isRecord(entry) ? { ...entry, ...values } : entry));
  return { ...record, [field]: mended };
}

/** Returns the positions of past insurances that were left out: those with a skipped error. */
export function leftOutPast(
  findings: readonly Pick<FindingRow, "severity" | "decision" | "list" | "position">[],
): Set<number> {
  const skipped = findings.filter(
    ({ severity, decision, list }) => severity === "error" && decision === "skipped" && list === "deleted_insurances",
  );
  return new Set(skipped.flatMap(({ position }) => position ?? []));
}

/** Removes past insurances from a record. `past` has the original positions of the others. */
export function leaveOutPast(record: RawRecord, places: ReadonlySet<number>): { kept: RawRecord; past: number[] } {
  const entries = Array.isArray(record.deleted_insurances) ? record.deleted_insurances : [];
  const past = entries.flatMap((_, at) => (places.has(at) ? [] : [at]));
  if (past.length === entries.length) return { kept: record, past };
  return { kept: { ...record, deleted_insurances: past.map((at) => entries[at]) }, past };
}
