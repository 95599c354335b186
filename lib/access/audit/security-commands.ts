import { isoNow } from "@/lib/platform/clock";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, fixed, sql } from "@/lib/platform/db/sql";
import { afterCommit, type Tx } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";
import { REJECTIONS, type SecurityDetail, type SecurityEvent } from "./events";

/** The chain of events that belong to no practice. */
const INSTALLATION = 0;
/** Equal rejections are counted for this long and then stored as one entry. */
const WINDOW_MS = 5 * 60_000;
/** Number of different rejections that are counted separately. Beyond it, rejections are counted by practice, and then all together. */
const MAX_REJECTIONS = 200;

/** An event to store. */
interface Entry extends Row<"audit_pending", "occurred_date"> {
  practices: readonly number[];
  event: SecurityEvent;
  detail: SecurityDetail;
}

/** Rejections of a kind that are not stored yet: repeats of a stored one, and those whose entry could not be stored. */
interface Repeats {
  event: SecurityEvent;
  count: number;
  /** Times of the first and the last of them, ISO 8601. Empty without any. */
  firstDate: string;
  lastDate: string;
}

interface Shared {
  queue: GroupCommit<Entry>;
  repeats: Map<string, Repeats>;
  timer: NodeJS.Timeout | undefined;
  /** The last flush, which may be running. */
  flushed: Promise<void>;
}

// Next bundles route modules apart from the server, so they share the queue and counts through the process.
function state(): Shared {
  return processWide("crosswalkSecurityEvents", () => ({
    queue: new GroupCommit<Entry>((entries) => append(db, entries), { intervalMs: 2 }),
    repeats: new Map(),
    timer: undefined,
    flushed: Promise.resolve(),
  }));
}

/** Appends security events in the transaction of their change, and logs them after the commit. */
export async function auditSecurityIn(tx: Tx, events: readonly SecurityEvent[]): Promise<void> {
  if (events.length === 0) return;
  await append(tx, events.map(toEntry));
  afterCommit(tx, () => events.forEach(logEvent));
}

/**
 * Appends and logs a security event without another write. Wait for it before doing what is audited.
 *
 * @throws OverloadedError if the database is unavailable or too many entries are waiting
 */
export async function auditSecurity(event: SecurityEvent): Promise<void> {
  logEvent(event);
  await enqueue(toEntry(event));
}

/**
 * Appends and logs a rejection. Anyone can cause any number of them, so only the first is stored immediately: repeats become one entry with
 * their count every 5 minutes. Never rejects, because the request is rejected even if the event can't be stored. It is counted instead.
 */
export async function auditRejection(event: SecurityEvent): Promise<void> {
  logEvent(event);
  const counted = boundedEvent(event);
  const now = isoNow();
  const rejected = { event: counted, count: 1, firstDate: now, lastDate: now };
  if (state().repeats.has(keyOf(counted))) {
    addRepeats(rejected);
    return;
  }
  addRepeats({ event: counted, count: 0, firstDate: "", lastDate: "" });
  await enqueue(toEntry(counted)).catch((error: unknown) => {
    const { requestId } = event.origin;
    log.warn({ err: error, request: requestId, event: event.name }, "could not store a security event; will retry");
    addRepeats(rejected);
  });
}

/**
 * Stores the counted rejections. Those that can't be stored are counted again. The server also calls it before it closes its database
 * connections.
 */
export function flushSecurityEvents(): Promise<void> {
  const all = state();
  clearTimeout(all.timer);
  all.timer = undefined;
  all.flushed = all.flushed.then(flush);
  return all.flushed;
}

async function flush(): Promise<void> {
  const all = state();
  const counted = [...all.repeats.values()].filter(({ count }) => count > 0);
  all.repeats = new Map();
  const failures = (await Promise.all(counted.map(storeRepeats))).filter((failure) => failure !== null);
  const [first] = failures;
  if (first) log.warn({ err: first.error, entries: failures.length }, "could not store security events; will retry");
}

/** Stores an entry with a count. If that fails, counts the rejections again and returns the error. */
async function storeRepeats(repeats: Repeats): Promise<{ error: unknown } | null> {
  const { event, count, firstDate, lastDate } = repeats;
  const entry = toEntry(event);
  try {
    await enqueue({ ...entry, detail: { ...entry.detail, count, first_date: firstDate, last_date: lastDate } });
    return null;
  } catch (error) {
    addRepeats(repeats);
    return { error };
  }
}

/** Adds rejections to those that the next flush stores. */
function addRepeats({ event, ...added }: Repeats): void {
  const { repeats } = state();
  const counted = boundedEvent(event);
  const key = keyOf(counted);
  const known = repeats.get(key);
  if (known) {
    // Rejections that could not be stored are older than those counted since.
    if (known.count === 0 || added.firstDate < known.firstDate) known.firstDate = added.firstDate;
    if (added.lastDate > known.lastDate) known.lastDate = added.lastDate;
    known.count += added.count;
  } else repeats.set(key, { event: counted, ...added });
  closeWindowLater();
}

function closeWindowLater(): void {
  state().timer ??= setTimeout(() => void flushSecurityEvents(), WINDOW_MS).unref();
}

/** Returns an event with fewer details if many different ones are counted already, which bounds their number. */
function boundedEvent(event: SecurityEvent): SecurityEvent {
  const { repeats } = state();
  if (repeats.has(keyOf(event)) || repeats.size < MAX_REJECTIONS) return event;
  const { name, origin, practices, cause } = event;
  const actor = { type: "anonymous" as const, id: null, name: "Various" };
  const byPractice = {
    name,
    practices,
    ...(cause && { cause }),
    origin: { ...origin, actor, address: null, path: null, requestId: null, reason: null },
    facts: { various: true },
  };
  if (repeats.has(keyOf(byPractice)) || repeats.size < 2 * MAX_REJECTIONS) return byPractice;
  return { ...byPractice, practices: [] };
}

function keyOf({ name, origin, practices, about, cause, facts }: SecurityEvent): string {
  const { actor, address } = origin;
  return JSON.stringify([name, actor.type, actor.id, address, about?.type, about?.id, cause, facts, practices]);
}

function toEntry(event: SecurityEvent): Entry {
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

/** Stores the events of concurrent requests in one commit. */
async function enqueue(entry: Entry): Promise<void> {
  await state().queue.add(entry);
}

const INSERT_EVENTS = fixed(
  (rows: string) => sql`
    INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
      source, address, reason, request_id, detail)
    SELECT practice, occurred_date, actor_type, actor_id, actor_name, 'security', operation, path, '{}', source, address,
      reason, request_id, detail
    FROM json_to_recordset(${rows}::json) AS e(practices bigint[], occurred_date timestamptz, detail jsonb,
      actor_type actor_type, actor_id bigint, actor_name text, operation text, path text, source text, address text, reason text,
      request_id text)
      CROSS JOIN LATERAL unnest(e.practices) AS p(practice)`,
);

async function append(write: Db, added: readonly Entry[]): Promise<void> {
  const rows = added.map(({ practices, occurred_date, event: { name, origin }, detail }) => ({
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
  await write.run(INSERT_EVENTS(JSON.stringify(rows)));
}

/** Logs IDs and codes. Only the audit has names. */
function logEvent({ name, origin, practices, about, cause, facts }: SecurityEvent): void {
  const { actor, address, path, requestId, operation } = origin;
  log[REJECTIONS.has(name) ? "warn" : "info"](
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
