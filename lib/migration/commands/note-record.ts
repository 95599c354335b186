import { type Db, json, sql } from "@/lib/db/sql";
import type { Outcome } from "../schema/run";

/** Notes, in the transaction that wrote it, what became of a record. */
export async function noteConverted(
  tx: Db,
  runId: number,
  number: number,
  patientId: number,
  outcome: Outcome | null,
): Promise<void> {
  await tx.run(sql`
    UPDATE migration_record SET state = 'converted', patient_id = ${patientId}, outcome = ${outcome && json(outcome)}
    WHERE run_id = ${runId} AND number = ${number}`);
}
