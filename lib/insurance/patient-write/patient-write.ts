import type { EventType } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/origin";
import type { Tx } from "@/lib/platform/db/transaction";
import type { LockedPatient } from "./locked-patient";

/** One thing a write does to a policy, as a dry run reports it (design §4). */
export interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
  card_images: number;
  changed_fields: string[];
}

/** One write on a locked patient: everything in it happens at `now`, on behalf of `origin`, or not at all. */
export interface PatientWrite {
  tx: Tx;
  patient: LockedPatient;
  now: string;
  origin: Origin;
  effects: Effect[];
  /** What became of the patient's record and what belongs to it, for those who subscribed to it; null: nothing. */
  change: EventType | null;
}

/** What a write gives back to its caller. */
export interface WriteOutcome<T> {
  result: T;
  /** What the write did to policies; on the far side too where it was a dry run. */
  effects: Effect[];
  /** The other side has not acknowledged in time: `Sync-Status: pending`. */
  pending: boolean;
}
