// Writes recent webhook events in every state, and the usage of the legacy endpoints.

import { countCall, flushClientUse } from "@/lib/access/clients/authenticate";
import { type Access, type ClientAccess, mintAccess, type Origin, systemOrigin } from "@/lib/access/identity/access";
import { reportEvent } from "@/lib/events/published/commands";
import { giveUpDate } from "@/lib/events/published/publish-events";
import { listEvents } from "@/lib/events/published/queries";
import { nextAttempt } from "@/lib/events/published/rules";
import type { EventReport } from "@/lib/events/published/schema";
import { createSubscription, pauseSubscription } from "@/lib/events/subscriptions/commands";
import { updatePatient } from "@/lib/insurance/commands/write-patient";
import { clock, setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { countLegacyUse, flushLegacyUse } from "@/lib/practice/practices/legacy-usage";

const DAY_MS = 86_400_000;
/** No server listens there, and the subscription is paused, so the demo sends nothing. */
const TARGET = "https://hooks.harborlight.example/crosswalk";

/** A client of the demo and its organization. */
export interface Listener {
  id: number;
  name: string;
  organizationId: number;
  practices: readonly number[];
}

function accessOf({ id, name, organizationId, practices }: Listener): ClientAccess {
  const actor = { type: "client" as const, id, name };
  return mintAccess({ clientId: id, organizationId, practices, scopes: ["apiv2"], actor });
}

function originOf(access: Access, operation: string): Origin {
  return { ...systemOrigin({ name: "", source: "api", operation }), actor: access.actor };
}

/** What happened to an event: its delivery failed, or it was delivered and the receiver reported this. */
type Outcome = "undelivered" | EventReport;

/** The outcomes of the first events. The others are still pending. */
const OUTCOMES: readonly Outcome[] = [
  "undelivered",
  ...Array<EventReport>(7).fill({ status_code: 200, error_content: null }),
  { status_code: 409, error_content: "The account is locked in the billing system." },
  { status_code: 500, error_content: "Time-out while writing the claim." },
];

const FIRST_PAUSE_MS = 60_000;

/** Stores the attempts to deliver an event as the delivery would have made them, without sending anything. */
async function seedAttempts(event: { id: number; created: Date }, isDelivered: boolean): Promise<void> {
  const deadline = new Date(giveUpDate(event.created.toISOString()));
  const starts = [new Date(event.created.getTime() + 1_000)];
  for (let next = starts[0]; !isDelivered && next; ) {
    next =
      nextAttempt({ attempts: starts.length, now: next, giveUpDate: deadline, firstPauseMs: FIRST_PAUSE_MS }, 0.5) ??
      undefined;
    if (next) starts.push(next);
  }
  const status = isDelivered ? 200 : 503;
  const error = isDelivered ? null : "HTTP 503.";
  const ended = new Date((starts.at(-1) ?? event.created).getTime() + 180).toISOString();
  await db.run(sql`
    INSERT INTO webhook_attempt (published_event_id, number, started_date, duration_ms, status_code, error)
    SELECT ${event.id}, a.number, a.started, 180, ${status}, ${error}
    FROM unnest(${starts.map((start) => start.toISOString())}::timestamptz[]) WITH ORDINALITY AS a(started, number)`);
  await db.run(sql`
    UPDATE published_event SET delivery = ${isDelivered ? "delivered" : "failed"}::delivery_state, attempts = ${starts.length},
      status_code = ${status}, error_content = ${error}, modified_date = ${ended}::timestamptz,
      processed_date = ${isDelivered ? ended : null}::timestamptz, failed_date = ${isDelivered ? null : ended}::timestamptz
    WHERE id = ${event.id}`);
}

/**
 * Subscribes the receiver to patients, changes a few patients as the writer over the last days, and stores the attempts to deliver
 * most events, and what the receiver reported.
 */
export async function seedEvents(listener: Listener, writer: Access, patientIds: readonly number[]): Promise<void> {
  const access = accessOf(listener);
  const start = clock.now().getTime() - 6 * DAY_MS;
  const timeOf = (place: number) => new Date(start + place * 9 * 3_600_000);
  const at = (place: number) => setClock({ now: () => timeOf(place) });
  try {
    at(0);
    const origin = originOf(access, "subscriptions.create");
    const subscription = await createSubscription({ access, origin }, { resource: "patients", target: TARGET });
    for (const [place, patientId] of patientIds.entries()) {
      at(place + 1);
      const request = {
        access: writer,
        origin: { ...originOf(writer, "patients.update"), source: "legacy_api" as const },
      };
      const preferred_language = place % 2 ? "Portuguese" : "Spanish";
      await updatePatient({ ...request, patientId }, { preferred_language }, null);
    }
    const { rows } = await listEvents(access, {}, { limit: 100, order: "id" });
    for (const [place, outcome] of OUTCOMES.entries()) {
      at(place + 2);
      const processed_date = clock.now().toISOString();
      const event = rows[place];
      if (!event) continue;
      await seedAttempts({ id: event.id, created: timeOf(place + 1) }, outcome !== "undelivered");
      const request = { access, origin: originOf(access, "published_events.report") };
      if (outcome !== "undelivered") await reportEvent(request, event.event_id, { processed_date, ...outcome });
    }
    at(patientIds.length + 1);
    const reason = "The billing system is being moved to another host.";
    const paused = systemOrigin({ name: "Demo", source: "seed", operation: "demo.seed", reason });
    await transaction((tx) => pauseSubscription(tx, subscription.id, paused));
  } finally {
    setClock();
  }
}

/** Records two weeks of legacy usage: the receiver only reads, and the writer has almost migrated. */
export async function seedLegacyUse(listener: Listener, writer: Access, practiceId: number): Promise<void> {
  const now = clock.now().getTime();
  try {
    for (let day = 14; day >= 1; day--) {
      setClock({ now: () => new Date(now - day * DAY_MS) });
      const count = (of: Access, operation: string, kind: "reads" | "writes", times: number) => {
        for (let use = 0; use < times; use++) {
          countLegacyUse(originOf(of, operation), practiceId, kind);
          if (of.actor.id !== null) countCall(of.actor.id, null);
        }
      };
      count(accessOf(listener), "patients.list", "reads", 20 + ((day * 7) % 11));
      count(writer, "patients.get", "reads", 5 * day);
      count(writer, "patients.update", "writes", 2 * day);
    }
    await Promise.all([flushLegacyUse(), flushClientUse()]);
  } finally {
    setClock();
  }
}
