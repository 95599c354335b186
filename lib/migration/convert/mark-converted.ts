import type { Outcome } from "@/lib/migration/runs/schema";
import { type Db, json, sql } from "@/lib/platform/db/sql";

/** The result of converting a record. */
export interface Converted {
  number: number;
  patient_id: number;
  outcome: Outcome | null;
}

/** Marks records as converted, in the transaction that wrote them. */
export async function markConverted(tx: Db, runId: number, records: readonly Converted[]): Promise<void> {
  if (records.length === 0) return;
  await tx.run(sql`
    UPDATE migration_record r SET state = 'converted', patient_id = c.patient_id, outcome = c.outcome
    FROM jsonb_to_recordset(${json(records)}) AS c(number int, patient_id bigint, outcome jsonb)
    WHERE r.run_id = ${runId} AND r.number = c.number`);
}
