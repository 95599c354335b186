import type { FindingRow } from "../schema/run";
import { isRecord, type RawRecord } from "./raw-record";

/** A record as it stands once the accepted fixes are made, in the order in which they were found. */
export function applyFixes(raw: RawRecord, findings: readonly FindingRow[]): RawRecord {
  const accepted = findings.filter(({ decision, fix }) => decision === "accepted" && fix !== null);
  return accepted.reduce(applyFix, raw);
}

function applyFix(record: RawRecord, { fix, position }: FindingRow): RawRecord {
  const values = fix?.values ?? {};
  if (position === null) return { ...record, ...values };
  const { insurances } = record;
  if (!Array.isArray(insurances)) return record;
  const mended = insurances.map((entry, at) => (at === position && isRecord(entry) ? { ...entry, ...values } : entry));
  return { ...record, insurances: mended };
}
