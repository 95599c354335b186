import type { EventType } from "@/generated/rows/enums";
import { clientMayReach } from "@/lib/access/clients/queries";
import type { BulkChange, PublishChange } from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { isoNow } from "@/lib/platform/clock";
import { fixed, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { wakeDelivery } from "./due-events";

/** A change to records of one resource and one practice. */
interface Change {
  type: EventType;
  resource: ScopeResource;
  ids: readonly number[];
  practiceId: number;
  origin: Origin;
}

/** Returns a condition on a subscription `s`: it gets the practice's events of a resource. */
export function receivesEvents(resource: ScopeResource, practiceId: number): Sql {
  return sql`s.resource = ${resource} AND s.deleted_date IS NULL AND ${clientMayReach(sql`s.client_id`, practiceId)}`;
}

/** Events of a server whose clock is ahead are due by the clock of the database, as in `databaseNow`, which can't be part of a fixed statement. */
const PUBLISH = fixed(
  (
    practiceId: number,
    type: EventType,
    resource: ScopeResource,
    ids: readonly number[],
    writer: number | null,
    now: string,
    giveUp: string,
    traceparent: string | null,
  ) => sql`
    INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
      target, delivery, next_attempt_date, give_up_date, created_date, modified_date, traceparent)
    SELECT gen_random_uuid(), s.id, s.client_id, ${practiceId}, ${type}, ${resource}, changed.id, s.target,
      'pending', least(${now}::timestamptz, clock_timestamp()), ${giveUp}, ${now}, ${now}, ${traceparent}
    FROM subscription s, unnest(${ids}::bigint[]) AS changed(id)
    WHERE ${receivesEvents(resource, practiceId)} AND s.client_id IS DISTINCT FROM ${writer}`,
  { writes: ["published_event"] },
);

/**
 * Publishes one event per record and matching subscription, in the transaction of the change, so that events exist exactly for
 * committed changes. Clients get events only of practices they have access to, and never of their own writes.
 */
export async function publishEvents(tx: Tx, { type, resource, ids, practiceId, origin }: Change): Promise<void> {
  const writer = origin.actor.type === "client" ? origin.actor.id : null;
  const now = isoNow();
  const insert = PUBLISH(practiceId, type, resource, ids, writer, now, giveUpDate(now), origin.traceparent ?? null);
  tx.send(insert, (published) => {
    if (published > 0) wakeDelivery(tx);
  });
}

/** Returns a function that publishes each change to a practice-level record under this resource. */
export function publishAs(resource: ScopeResource): PublishChange {
  return (tx, { kind, id, practiceId, origin }) =>
    publishEvents(tx, { type: kind === "deleted" ? "deleted" : "saved", resource, ids: [id], practiceId, origin });
}

/** Publishes changes to many records of one resource and practice: saved ones first, then deleted ones. */
export async function publishChanges(
  tx: Tx,
  about: Omit<Change, "type" | "ids">,
  changes: readonly Pick<BulkChange, "id" | "kind">[],
): Promise<void> {
  for (const type of ["saved", "deleted"] as const) {
    const ids = changes.filter(({ kind }) => (kind === "deleted") === (type === "deleted")).map(({ id }) => id);
    if (ids.length > 0) await publishEvents(tx, { type, ids, ...about });
  }
}

/** How long an event is retried before it fails. */
const GIVE_UP_HOURS = 72;

/** Returns when an event that is due at `now` is no longer retried. Times are ISO 8601. */
export function giveUpDate(now: string): string {
  return new Date(Date.parse(now) + GIVE_UP_HOURS * 3_600_000).toISOString();
}
