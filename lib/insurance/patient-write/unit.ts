import type { EventType } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/origin";
import type { LockedPatient } from "@/lib/insurance/patients/lock";
import type { Tx } from "@/lib/platform/db/transaction";

/** One thing a write does to a policy, as a dry run reports it (design §4). */
export interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
  card_images: number;
  changed_fields: string[];
}

/** One write on a locked patient: everything in it happens at `now`, on behalf of `origin`, or not at all. */
export interface Unit {
  tx: Tx;
  patient: LockedPatient;
  now: string;
  origin: Origin;
  effects: Effect[];
  /** What became of the patient's record and what belongs to it, for those who subscribed to it; null: nothing. */
  change: EventType | null;
}
