import type { EventType } from "@/generated/rows/enums";
import type { PolicyEffect } from "@/lib/access/endpoints/policy-effect";
import type { Origin } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import type { Tx } from "@/lib/platform/db/transaction";
import type { ReplicationPayload } from "./replication-payload";

declare const locked: unique symbol;

/** A patient whose row this transaction has locked. Nothing else writes its insurances or policies until the transaction ends. */
export type LockedPatient = Readonly<Row<"patient", "id" | "practice_id" | "first_name" | "last_name" | "dob">> & {
  /** Grows with the versions that the transaction appends. */
  version: number;
  readonly [locked]: true;
};

/** A write on a locked patient. All of its changes have the time `now` and the origin `origin`. */
export interface PatientWrite {
  readonly tx: Tx;
  readonly patient: LockedPatient;
  /** ISO 8601 */
  readonly now: string;
  readonly origin: Origin;
  /** The effects on policies so far. */
  readonly effects: PolicyEffect[];
  /** The webhook event that the write publishes about the patient; null while nothing has changed. */
  change: EventType | null;
  /** The changes to replicate to the other store; null while there are none. */
  replication: ReplicationPayload | null;
}

/** The outcome of a write. */
export interface WriteOutcome<T> {
  result: T;
  /** The effects on policies; for a dry run, also those of replication. */
  effects: PolicyEffect[];
  /** The other store has not applied the write in time: `Sync-Status: pending`. */
  pending: boolean;
}
