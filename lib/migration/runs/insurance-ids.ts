import { isDeepStrictEqual } from "node:util";
import { applyFixes } from "@/lib/migration/findings/apply-fixes";
import type { FindingRow } from "@/lib/migration/findings/checks";
import { stagedRaw } from "@/lib/migration/record/raw-record";
import { recordKeys } from "@/lib/migration/record/stage-record";
import { DECIDABLE } from "@/lib/migration/runs/run-states";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, empty, inList, sql } from "@/lib/platform/db/sql";

/** Stores which IDs several insurances of a run share: all, or some of these IDs. */
export async function storeReusedIds(tx: Db, runId: number, ids?: readonly string[]): Promise<void> {
  const list = [...(ids ?? [])];
  const ofIds = ids ? sql`WHERE insurance = ANY(${list}::text[])` : empty;
  const ofRecords = ids ? sql`AND (insurance_ids && ${list}::text[] OR past_ids && ${list}::text[])` : empty;
  await tx.run(sql`
    INSERT INTO migration_reused_id (run_id, insurance, is_current, first_number)
    SELECT ${runId}, insurance, count(*) FILTER (WHERE is_current) > 1, min(number) FROM (
      SELECT unnest(insurance_ids) AS insurance, TRUE AS is_current, number FROM migration_record
      WHERE run_id = ${runId} ${ofRecords}
      UNION ALL
      SELECT unnest(past_ids), FALSE, number FROM migration_record WHERE run_id = ${runId} ${ofRecords}) ids
    ${ofIds} GROUP BY insurance HAVING count(*) > 1
    ON CONFLICT DO NOTHING`);
}

/** Returns whether an insurance of a run has an ID, current or past. */
export async function hasInsuranceId(tx: Db, runId: number, id: string): Promise<boolean> {
  const found = await tx.first(sql`
    SELECT number FROM migration_record WHERE run_id = ${runId} AND (${id} = ANY(insurance_ids) OR ${id} = ANY(past_ids))
    LIMIT 1`);
  return found !== null;
}

/**
 * Stores the insurance IDs of records with their accepted corrections, so that checks compare corrected IDs with those of other
 * records.
 *
 * @param findings the findings of each record, with the decisions to apply
 * @returns all records whose check can change, because they have an ID that was added or removed
 */
export async function storeCorrectedIds(
  tx: Db,
  runId: number,
  findings: ReadonlyMap<number, readonly FindingRow[]>,
): Promise<number[]> {
  const rows = await tx.rows<Row<"migration_record", "number" | "raw" | "exact" | "insurance_ids" | "past_ids">>(sql`
    SELECT number, raw, exact, insurance_ids, past_ids FROM migration_record
    WHERE run_id = ${runId} AND number = ANY(${[...findings.keys()]}::int[])`);
  const affected = new Set<string>();
  for (const { number, insurance_ids, past_ids, ...row } of rows) {
    const record = applyFixes(stagedRaw(row) ?? {}, findings.get(number) ?? []);
    const [current, past] = [recordKeys(record.insurances), recordKeys(record.deleted_insurances)];
    const [before, after] = [
      [...insurance_ids, ...past_ids],
      [...current, ...past],
    ];
    if (isDeepStrictEqual(before, after)) continue;
    for (const id of [...before, ...after]) affected.add(id);
    await tx.run(sql`
      UPDATE migration_record SET insurance_ids = ${current}::text[], past_ids = ${past}::text[]
      WHERE run_id = ${runId} AND number = ${number}`);
  }
  if (affected.size === 0) return [];
  const ids = [...affected];
  await tx.run(sql`DELETE FROM migration_reused_id WHERE run_id = ${runId} AND insurance = ANY(${ids}::text[])`);
  await storeReusedIds(tx, runId, ids);
  const others = await tx.rows<{ number: number }>(sql`
    SELECT number FROM migration_record WHERE run_id = ${runId} AND ${inList(sql`state`, DECIDABLE)}
      AND (insurance_ids && ${ids}::text[] OR past_ids && ${ids}::text[])`);
  return others.map(({ number }) => number);
}
