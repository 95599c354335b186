import { isRecord, type RawRecord } from "@/lib/migration/record/raw-record";
import type { FindingRow } from "./checks";

/** Applies accepted fixes and corrections to a record, in the order of the findings. */
export function applyFixes(raw: RawRecord, findings: readonly FindingRow[]): RawRecord {
  const accepted = findings.filter(({ decision, fix }) => decision === "accepted" && fix !== null);
  return accepted.reduce(applyFix, raw);
}

function applyFix(record: RawRecord, { fix, list, position }: FindingRow): RawRecord {
  const values = fix?.values ?? {};
  if (position === null) return { ...record, ...values };
  // Earlier releases reported findings only on current insurances.
  const field = list ?? "insurances";
  const entries = record[field];
  if (!Array.isArray(entries)) return record;
  const fixed = entries.map((entry, at) => (at === position && isRecord(entry) ? { ...entry, ...values } : entry));
  return { ...record, [field]: fixed };
}
