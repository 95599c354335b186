import { isoNow } from "@/lib/platform/clock";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import { type Db, db, json, sql } from "@/lib/platform/db/sql";
import { afterCommit, type Tx } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";
import type { SecurityDetail, SecurityEvent, SecurityEventName } from "./events";

/** The chain of events that belong to no practice. */
const INSTALLATION = 0;
/** A refusal like one before it is counted for this long, and written as one entry then. */
const WINDOW_MS = 5 * 60_000;
/** So many kinds of refusals are told apart in a window; further ones are counted by practice, then all together. */
const MOST_APART = 200;

interface Row {
  practices: readonly number[];
  occurred_date: string;
  event: SecurityEvent;
  detail: SecurityDetail;
}

/** Refusals like one that was written already, counted until the window closes. */
interface Repeats {
  event: SecurityEvent;
  count: number;
  firstDate: string;
  lastDate: string;
}

interface Shared {
  queues: Map<string, GroupCommit<Row>>;
  repeats: Map<string, Repeats>;
  timer: NodeJS.Timeout | undefined;
}

// Next bundles route modules apart from the server: queues and counts have to be the same in all of them.
function state(): Shared {
  return processWide("crosswalkSecurityEvents", () => ({ queues: new Map(), repeats: new Map(), timer: undefined }));
}

/**
 * Appends security events in the transaction of the change they are about, as its last statement: the chains of their
 * practices are locked until the commit. Logs each once it is committed.
 */
export async function auditSecurityIn(tx: Tx, events: readonly SecurityEvent[]): Promise<void> {
  if (events.length === 0) return;
  await append(tx, events.map(toRow));
  afterCommit(tx, () => events.forEach(logEvent));
}

/**
 * Appends a security event that comes with no other write, and resolves when it is stored. What has to be audited is not
 * done where this rejects. Logs it.
 *
 * @throws OverloadedError where the database is not there, or too many wait for the same chains
 */
export async function auditSecurity(event: SecurityEvent): Promise<void> {
  logEvent(event);
  await enqueue(toRow(event));
}

/**
 * The same for what was refused, which anyone can cause any number of times: the first refusal is stored at once, and
 * further ones by the same subject, address and cause become one entry with their count every 5 minutes. Each is a log
 * line. Never rejects: a refusal stays one whether or not it can be stored.
 */
export async function auditRefusal(event: SecurityEvent): Promise<void> {
  logEvent(event);
  const { repeats } = state();
  const counted = boundedEvent(event);
  const key = keyOf(counted);
  const before = repeats.get(key);
  if (before) {
    before.count += 1;
    before.lastDate = isoNow();
    before.firstDate ||= before.lastDate;
    return;
  }
  repeats.set(key, { event: counted, count: 0, firstDate: "", lastDate: "" });
  closeWindowLater();
  await enqueue(toRow(counted)).catch((error: unknown) => {
    log.warn({ err: error, event: event.name }, "a security event could not be stored");
  });
}

/** Stores what was counted so far: when a window closes, and at a normal stop before the connections are closed. */
export async function flushSecurityEvents(): Promise<void> {
  const all = state();
  clearTimeout(all.timer);
  all.timer = undefined;
  const counted = [...all.repeats.values()].filter(({ count }) => count > 0);
  all.repeats = new Map();
  const now = isoNow();
  const rows = counted.map(({ event, count, firstDate, lastDate }): Row => {
    const row = toRow(event);
    return { ...row, occurred_date: now, detail: { ...row.detail, count, first_date: firstDate, last_date: lastDate } };
  });
  await Promise.all(
    rows.map((row) =>
      enqueue(row).catch((error: unknown) => {
        log.warn({ err: error, event: row.event.name, count: row.detail.count }, "security events could not be stored");
      }),
    ),
  );
}

function closeWindowLater(): void {
  state().timer ??= setTimeout(() => void flushSecurityEvents(), WINDOW_MS).unref();
}

/** The event as it is counted: the more kinds there are already, the less of each is kept apart. */
function boundedEvent(event: SecurityEvent): SecurityEvent {
  const { repeats } = state();
  if (repeats.has(keyOf(event)) || repeats.size < MOST_APART) return event;
  const { name, origin, practices, cause } = event;
  const many = { ...origin, address: null, path: null, requestId: null, reason: null };
  const alike = {
    name,
    practices,
    ...(cause && { cause }),
    origin: { ...many, actor: { type: "anonymous" as const, id: null, name: "Various" } },
    facts: { various: true },
  };
  if (repeats.has(keyOf(alike)) || repeats.size < 2 * MOST_APART) return alike;
  return { ...alike, practices: [] };
}

function keyOf({ name, origin, practices, about, cause, facts }: SecurityEvent): string {
  const { actor, address } = origin;
  return JSON.stringify([name, actor.type, actor.id, address, about?.type, about?.id, cause, facts, practices]);
}

function toRow(event: SecurityEvent): Row {
  const { about, cause, changes, facts } = event;
  const detail = {
    ...(about && { about }),
    ...(cause && { cause }),
    ...(changes && { changes }),
    ...(facts && { facts }),
  };
  const practices = event.practices.length > 0 ? event.practices : [INSTALLATION];
  return { practices, occurred_date: isoNow(), event, detail };
}

/** One queue for each set of practices, so that a practice whose chain is held delays no other. */
async function enqueue(row: Row): Promise<void> {
  const { queues } = state();
  const key = row.practices.join();
  const queue = queues.get(key) ?? new GroupCommit<Row>((rows) => append(db, rows));
  queues.set(key, queue);
  await queue.add(row);
}

/** Chains are locked in the order of their practices, so that two writers never wait for each other. */
async function append(write: Db, rows: readonly Row[]): Promise<void> {
  const entries = rows.map(({ practices, occurred_date, event: { name, origin }, detail }, place) => ({
    place,
    practices: [...new Set(practices)],
    occurred_date,
    detail,
    actor_type: origin.actor.type,
    actor_id: origin.actor.id,
    actor_name: origin.actor.name,
    operation: name,
    path: origin.path,
    source: origin.source,
    address: origin.address,
    reason: origin.reason,
    request_id: origin.requestId,
  }));
  await write.run(sql`
    INSERT INTO audit_entry (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
      source, address, reason, request_id, detail)
    SELECT practice, occurred_date, actor_type, actor_id, actor_name, 'security', operation, path, '{}', source, address,
      reason, request_id, detail
    FROM jsonb_to_recordset(${json(entries)}) AS e(place int, practices bigint[], occurred_date timestamptz, detail jsonb,
      actor_type actor_type, actor_id bigint, actor_name text, operation text, path text, source text, address text, reason text,
      request_id text)
      CROSS JOIN LATERAL unnest(e.practices) AS p(practice)
    ORDER BY practice, place`);
}

const REFUSALS: ReadonlySet<SecurityEventName> = new Set([
  "sign_in.failed",
  "sign_in.throttled",
  "session.rejected",
  "token.refused",
  "token.throttled",
  "token.rejected",
  "link.rejected",
  "access.denied",
]);

/** Ids and codes: names stay in the audit. */
function logEvent({ name, origin, practices, about, cause, facts }: SecurityEvent): void {
  const { actor, address, path, requestId, operation } = origin;
  log[REFUSALS.has(name) ? "warn" : "info"](
    {
      event: name,
      actor: actor.id === null ? actor.type : `${actor.type}-${actor.id}`,
      about: about && `${about.type}-${about.id}`,
      cause,
      address,
      practices,
      request: requestId,
      endpoint: operation,
      path,
      ...facts,
    },
    "security event",
  );
}
