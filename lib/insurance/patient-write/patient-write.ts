import type { EventType } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/origin";
import type { Tx } from "@/lib/platform/db/transaction";
import type { LockedPatient } from "./locked-patient";
import type { ReplicationPayload } from "./replication-payload";

/** One thing a write does to a policy, as a dry run reports it (design §4). */
export interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
  card_images: number;
  changed_fields: string[];
}

/** A write on a locked patient: all of it happens at `now`, on behalf of `origin`, or none of it. */
export interface PatientWrite {
  readonly tx: Tx;
  readonly patient: LockedPatient;
  /** ISO 8601 */
  readonly now: string;
  readonly origin: Origin;
  /** What the write did to policies so far. */
  readonly effects: Effect[];
  /** What subscribers of the patient hear once the write is done; null while nothing has changed. */
  change: EventType | null;
  /** What the other store has to apply; null while there is nothing. */
  replication: ReplicationPayload | null;
}

/** Starts a write on a patient whose row the transaction holds. */
export function beginWrite(write: Pick<PatientWrite, "tx" | "patient" | "now" | "origin">): PatientWrite {
  return { ...write, effects: [], change: null, replication: null };
}

/** What a write returns to its caller. */
export interface WriteOutcome<T> {
  result: T;
  /** What the write did to policies; for a dry run, also what replication would do to them. */
  effects: Effect[];
  /** The other store has not applied the write in time: `Sync-Status: pending`. */
  pending: boolean;
}
