import { listRowHashes } from "@/lib/insurance/commands/imported-rows";
import type { FindingRow } from "@/lib/migration/findings/checks";
import { fingerprintOf, recordKey } from "@/lib/migration/record/raw-record";
import type { StagedRow } from "@/lib/migration/runs/schema";
import type { Db } from "@/lib/platform/db/sql";

/** The columns of a record that verification needs. */
export const VERIFIED_COLUMNS = [
  "number",
  "raw",
  "exact",
  "refusal",
  "fingerprint",
  "external_id",
  "patient_id",
  "outcome",
] as const satisfies readonly (keyof StagedRow)[];
export type VerifiedRow = Pick<StagedRow, (typeof VERIFIED_COLUMNS)[number]>;

/** Returns whether the conversion stored a hash of a record's rows. */
export const hasNotedRows = ({ outcome }: VerifiedRow) => outcome?.rows !== undefined;

/** Reads the hashes of the rows of such records, by patient. */
export function listHashes(read: Db, records: readonly VerifiedRow[]): Promise<Map<number, string>> {
  return listRowHashes(
    read,
    records.filter(hasNotedRows).flatMap(({ patient_id }) => patient_id ?? []),
  );
}

/**
 * Returns whether a record and all rows of its patient still match the hashes that the conversion stored. If not, or if staff decided on
 * findings of the record, the rows must be compared field by field.
 *
 * @param hash the hash of the patient's rows, if it exists and has no card images
 */
export function isAsNoted(row: VerifiedRow, hash: string | undefined, findings: readonly FindingRow[]): boolean {
  const { raw, exact, refusal, fingerprint, external_id, outcome } = row;
  const isDecided = findings.some(({ decision }) => decision !== "open");
  if (isDecided || hash !== outcome?.rows || raw === null || exact !== null || refusal !== null) return false;
  return recordKey(raw) === external_id && fingerprintOf(raw) === fingerprint;
}
