import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { clientNameOf } from "@/lib/access/clients/queries";
import { appendRecordVersions } from "@/lib/access/history/commands";
import { type Access, type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { empty, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";
import { NO_REPORT, requeue } from "./commands";
import { lockDelivery, wakeDelivery } from "./due-events";
import type { ReplayInput, ReplayResult } from "./schema";

const MAX_DAYS = 7;
const MAX_EVENTS = 10_000;

interface Replay<A extends Access> {
  access: A;
  origin: Origin;
  subscriptionId: number;
  range: ReplayInput;
  /** Only counts the events. */
  dryRun: boolean;
}

/**
 * Sends the events again that were published for a subscription of the caller in a range of time: those that were delivered or have
 * failed. Events that wait or are being sent are delivered anyway, so a repeated call queues nothing twice. Events of one record are
 * sent in order. Clears the client's reports, and keeps them in the history of the events.
 *
 * @throws NotFoundError
 * @throws ValidationError if the range is empty or longer than 7 days
 * @throws BusinessRuleError too_many_events
 */
export async function replayEvents(request: Replay<ClientAccess>): Promise<ReplayResult> {
  const { access } = request;
  return replay(request, sql`s.client_id = ${access.clientId}`, () => ({}));
}

/**
 * Sends events of the practice again on behalf of a staff member, as `replayEvents`.
 *
 * @param visible a condition on the subscription `s`: the caller may see it
 */
export async function replayForPractice(request: Replay<Access>, visible: Sql): Promise<ReplayResult> {
  return replay(request, visible, ({ client_id, client_name }) => ({
    about: { type: "client", id: client_id, name: client_name },
  }));
}

interface Target extends Row<"subscription", "client_id"> {
  client_name: string;
}

async function replay(
  { access, origin, subscriptionId, range, dryRun }: Replay<Access>,
  visible: Sql,
  describe: (target: Target) => Pick<SecurityEvent, "about">,
): Promise<ReplayResult> {
  requireRange(range);
  return transaction(async (tx) => {
    // A dry run only reads.
    if (!dryRun) lockDelivery(tx);
    const target = await tx.first<Target>(sql`
      SELECT s.client_id, ${clientNameOf(sql`s.client_id`)} AS client_name FROM subscription s
      WHERE s.id = ${subscriptionId} AND s.deleted_date IS NULL AND ${visible}`);
    if (!target) throw new NotFoundError("subscription");
    const found = await tx.rows<Row<"published_event", "id">>(sql`
      SELECT e.id FROM published_event e
      WHERE e.subscription_id = ${subscriptionId} AND ${inList(sql`e.practice_id`, access.practices)}
        AND e.created_date >= ${range.from}::timestamptz AND e.created_date < ${range.to}::timestamptz
        AND e.delivery IN ('delivered', 'failed')
      ORDER BY e.id LIMIT ${MAX_EVENTS + 1} ${dryRun ? empty : sql`FOR NO KEY UPDATE`}`);
    if (found.length > MAX_EVENTS) {
      throw new BusinessRuleError(
        "too_many_events",
        `The range contains more than ${MAX_EVENTS.toLocaleString("en-US")} events. Replay a shorter range.`,
      );
    }
    const ids = found.map(({ id }) => id);
    if (dryRun || ids.length === 0) return { events: ids.length };
    await recordReplay(tx, ids, origin);
    await requeue(tx, sql`e.id = ANY(${ids}::bigint[])`);
    wakeDelivery(tx);
    const facts = { subscription: subscriptionId, ...range, events: ids.length };
    const event = { name: "webhook.replayed" as const, origin, practices: access.practices, facts };
    await auditSecurityIn(tx, [{ ...event, ...describe(target) }]);
    return { events: ids.length };
  });
}

/** @throws ValidationError */
function requireRange({ from, to }: ReplayInput): void {
  const milliseconds = Date.parse(to) - Date.parse(from);
  if (milliseconds <= 0) throw new ValidationError({ to: ["Must be after from."] });
  if (milliseconds > MAX_DAYS * 86_400_000)
    throw new ValidationError({ to: [`Must be at most ${MAX_DAYS} days after from.`] });
}

/** Adds a version to the history of each event, with the report that the replay clears. */
async function recordReplay(tx: Tx, ids: readonly number[], origin: Origin): Promise<void> {
  const now = isoNow();
  const events = await tx.rows(
    kysely
      .updateTable("published_event")
      .set((event) => ({ version: event("version", "+", 1) }))
      .where("id", "=", anyOf(ids))
      .returning([
        "id",
        "version",
        "practice_id",
        "delivery",
        "reported_date",
        "processed_date",
        "status_code",
        "error_content",
      ]),
  );
  const versions = events.map(({ id, version, practice_id, delivery, reported_date, ...report }) => {
    const isCleared = delivery === "delivered" && reported_date !== null;
    const changes = {
      replayed_date: { old: null, new: now },
      delivery: { old: delivery, new: "pending" },
      ...(isCleared && changedFields(report, NO_REPORT)),
    };
    return { id, version, practice_id, kind: "updated" as const, changes };
  });
  for (const [practiceId, entries] of groupBy(versions, ({ practice_id }) => practice_id)) {
    await appendRecordVersions(tx, { type: "published_event", practiceId, origin, occurredDate: now }, entries);
  }
}
