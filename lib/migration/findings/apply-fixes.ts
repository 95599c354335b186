import { isRecord, type RawRecord } from "@/lib/migration/record/raw-record";
import type { FindingRow } from "./finding";

/** A record as it stands once the accepted fixes are made, in the order in which they were found. */
export function applyFixes(raw: RawRecord, findings: readonly FindingRow[]): RawRecord {
  const accepted = findings.filter(({ decision, fix }) => decision === "accepted" && fix !== null);
  return accepted.reduce(applyFix, raw);
}

function applyFix(record: RawRecord, { fix, list, position }: FindingRow): RawRecord {
  const values = fix?.values ?? {};
  if (position === null) return { ...record, ...values };
  // Findings of runs that were checked before past insurances were are of current ones.
  const field = list ?? "insurances";
  const entries = record[field];
  if (!Array.isArray(entries)) return record;
  const mended = entries.map((entry, at) => (at === position && isRecord(entry) ? { ...entry, ...values } : entry));
  return { ...record, [field]: mended };
}

/** The places of the past insurances that are left out: those with an error that somebody skipped. */
export function leftOutPast(
  findings: readonly Pick<FindingRow, "severity" | "decision" | "list" | "position">[],
): Set<number> {
  const skipped = findings.filter(
    ({ severity, decision, list }) => severity === "error" && decision === "skipped" && list === "deleted_insurances",
  );
  return new Set(skipped.flatMap(({ position }) => position ?? []));
}

/** A record without some of its past insurances, and the places that the others have in it. */
export function leaveOutPast(record: RawRecord, places: ReadonlySet<number>): { kept: RawRecord; past: number[] } {
  const entries = Array.isArray(record.deleted_insurances) ? record.deleted_insurances : [];
  const past = entries.flatMap((_, at) => (places.has(at) ? [] : [at]));
  if (past.length === entries.length) return { kept: record, past };
  return { kept: { ...record, deleted_insurances: past.map((at) => entries[at]) }, past };
}
