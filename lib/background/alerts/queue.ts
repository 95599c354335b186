import { listAlertRecipients } from "@/lib/access/staff/member-queries";
import { daysAgo, isoNow } from "@/lib/platform/clock";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { databaseNow, databaseNowPlus } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import type { AlertCondition } from "./conditions";

export type AlertRow = Row<
  "alert",
  "id" | "practice_id" | "channel" | "recipient" | "subject" | "text" | "path" | "attempts"
>;
export type Channel = AlertRow["channel"];

/** Longer than any attempt takes. */
const FIRST_RETRY_MS = 5 * 60_000;
const MAX_RETRY_MS = 6 * 3_600_000;
const GIVE_UP_DAYS = 3;
/** Afterwards, a subscription that is still paused causes another alert. */
const KEPT_DAYS = 400;

/** PostgreSQL limits the number of values per statement. */
const ROWS_AT_ONCE = 1_000;

/** Adds an alert for each condition, channel and recipient that has none yet. Several processes can do so at once. */
export async function enqueueAlerts(
  conditions: readonly AlertCondition[],
  channels: readonly Channel[],
): Promise<void> {
  const admins = new Map<number, string[]>();
  for (const { practice_id, email } of channels.includes("email") ? await listAlertRecipients() : [])
    admins.set(practice_id, [...(admins.get(practice_id) ?? []), email]);
  const now = isoNow();
  const rows = conditions.flatMap(({ practiceId, ...facts }) => {
    const row = { practice_id: practiceId, ...facts, next_attempt_date: now, created_date: now };
    return [
      ...(admins.get(practiceId) ?? []).map((email) => ({ ...row, channel: "email" as const, recipient: email })),
      ...(channels.includes("webhook") ? [{ ...row, channel: "webhook" as const, recipient: "" }] : []),
    ];
  });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db.run(
      kysely
        .insertInto("alert")
        .values(rows.slice(at, at + ROWS_AT_ONCE))
        .onConflict((conflict) => conflict.columns(["practice_id", "dedupe_key", "channel", "recipient"]).doNothing()),
    );
  }
}

/** Returns an alert of a channel that is due, and postpones it, so that no other process makes the same attempt. Null if none is due. */
export async function claimAlert(channel: Channel): Promise<AlertRow | null> {
  const pauseMs = sql`least(${FIRST_RETRY_MS} * power(2, attempts), ${MAX_RETRY_MS})`;
  return db.first<AlertRow>(sql`
    UPDATE alert SET attempts = attempts + 1, next_attempt_date = ${databaseNowPlus(pauseMs)}
    WHERE id = (
      SELECT id FROM alert WHERE sent_date IS NULL AND (attempts = 0 OR next_attempt_date <= ${databaseNow()})
        AND created_date > ${daysAgo(GIVE_UP_DAYS)}::timestamptz AND channel = ${channel}::alert_channel
      ORDER BY next_attempt_date LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, practice_id, channel, recipient, subject, text, path, attempts`);
}

/** Records the result of an attempt. @param error null if it was sent */
export async function settleAlert(id: number, error: string | null): Promise<void> {
  const result = error === null ? { sent_date: isoNow(), last_error: null } : { last_error: error };
  await db.run(kysely.updateTable("alert").set(result).where("id", "=", id));
}

/** Returns whether the recipient is still an admin of the practice who gets alerts. */
export async function isRecipient({ practice_id, recipient }: AlertRow): Promise<boolean> {
  return (await listAlertRecipients({ practiceId: practice_id, email: recipient })).length > 0;
}

/** Removes an alert whose recipient no longer gets alerts. */
export async function removeAlert(id: number): Promise<void> {
  await db.run(kysely.deleteFrom("alert").where("id", "=", id));
}

/** Deletes old alerts. */
export async function removeOldAlerts(): Promise<number> {
  return deleteOlder("alert", "created_date", daysAgo(KEPT_DAYS));
}
