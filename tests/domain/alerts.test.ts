// Alerts by email and to a chat: sent once for each condition, through a real mail server and a real HTTP receiver.
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alertSenders } from "@/lib/background/alerts/send";
import { workAlerts } from "@/lib/background/alerts/start";
import { clock, setClock } from "@/lib/platform/clock";
import { loadConfig } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics } from "../support/api";
import { legacyPatient, writeLines } from "../support/legacy-export";
import { createCheckedRun } from "../support/migration-runs";
import { signInAs, staffCallAs } from "../support/staff";
import { createListener } from "../support/webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

const ORIGIN = "https://crosswalk.example.org";

interface Mail {
  to: string[];
  text: string;
}

let basics: Basics;
let mails: Mail[] = [];
/** Set to reject all mail. */
let isBroken = false;
let chat: Receiver;
let server: SMTPServer;
let senders: ReturnType<typeof alertSenders>;
/** The address of an admin of the enabled practice who gets alerts. */
let admin: string;

beforeAll(async () => {
  basics = await seedBasics();
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        if (isBroken) return done(new Error("The disk is full."));
        // Without the line breaks of long headers and of quoted-printable.
        const text = Buffer.concat(parts)
          .toString()
          .replace(/=\r\n/g, "")
          .replace(/\r\n[ \t]+/g, " ");
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  chat = await startReceiver();
  const settings = { WEBHOOK_ALLOW_PRIVATE: true, WEBHOOK_TIMEOUT_MS: 5_000, ALERT_FROM: "alerts@example.org" };
  senders = alertSenders(
    {
      ...settings,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${chat.port}/services/T1`,
    },
    ORIGIN,
  );
  const { email, userId } = await signInAs("admin", [basics.enabled]);
  await db.run(sql`UPDATE staff_user SET gets_alerts = true WHERE id = ${userId}`);
  admin = email;
});

afterAll(async () => {
  for (const sender of senders.values()) await sender.close();
  await new Promise<void>((resolve) => server.close(resolve));
  await stopReceivers();
});

beforeEach(async () => {
  await db.run(sql`UPDATE practice SET deprecation_date = '2020-01-31'`);
  await db.run(sql`UPDATE migration_run SET changed_date = '2020-01-01'`);
  await db.run(sql`UPDATE subscription SET deleted_date = now() WHERE deleted_date IS NULL`);
  await db.run(sql`DELETE FROM alert`);
  mails = [];
  chat.requests.length = 0;
  isBroken = false;
});
afterEach(() => setClock());

const work = () => workAlerts(senders);
const chats = () => chat.requests.map(({ body }) => JSON.parse(String(body)).text as string);
const setDeadline = (days: number) => {
  const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  return db.run(sql`UPDATE practice SET deprecation_date = ${date}::date WHERE id = ${basics.enabled}`);
};
/** Moves the clock of this process. */
const advance = (minutes: number) => {
  const now = clock.now().getTime() + minutes * 60_000;
  setClock({ now: () => new Date(now) });
};

describe("an alert", () => {
  test("of a paused subscription names the practice and links to its page, without the endpoint's path", async () => {
    const { subscription } = await createListener(basics, "https://hooks.example.org/secret-token");
    await db.run(sql`UPDATE subscription SET paused_date = '2026-11-20T10:30:00Z' WHERE id = ${subscription.id}`);
    await work();
    const [mail] = mails;
    expect(mails).toHaveLength(1);
    expect(mail?.to).toEqual([admin]);
    expect(mail?.text).toContain("Northside Family Medicine: webhooks to hooks.example.org are paused");
    expect(mail?.text).toContain("have been paused since 2026-11-20 10:30 UTC");
    expect(mail?.text).toContain(`${ORIGIN}/practices/${basics.enabled}/events/subscriptions`);
    expect(mail?.text).not.toContain("secret-token");
    expect(chats()).toEqual([
      expect.stringMatching(/^\*Northside Family Medicine: webhooks to hooks.example.org are paused\*\n.*\n<https:/),
    ]);
  });

  test("of a failing subscription comes after an hour, and again when it is paused", async () => {
    const { subscription } = await createListener(basics, "https://hooks.example.org/failing");
    const fail = (minutes: number) =>
      db.run(
        sql`UPDATE subscription SET failing_since = now() - ${minutes} * interval '1 minute' WHERE id = ${subscription.id}`,
      );
    await fail(50);
    await work();
    expect(mails).toEqual([]);
    await fail(70);
    await work();
    await work();
    expect(mails.map(({ text }) => /webhooks to \S+ are (\w+)/.exec(text)?.[1])).toEqual(["failing"]);
    await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${subscription.id}`);
    await work();
    expect(mails.map(({ text }) => /webhooks to \S+ are (\w+)/.exec(text)?.[1])).toEqual(["failing", "paused"]);
  });

  test("of a checked run names neither its file nor its patients", async () => {
    const file = writeLines("ramirez.ndjson", [legacyPatient(1, { last_name: "Ramirez" })]);
    const run = await createCheckedRun(basics.enabled, file);
    await work();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain(`migration run ${run} is ready for review`);
    expect(mails[0]?.text).toContain(`${ORIGIN}/practices/${basics.enabled}/migration/${run}`);
    expect(mails[0]?.text).not.toMatch(/ramirez/i);
    expect(chats().join()).not.toMatch(/ramirez/i);
  });

  test("of the deadline comes 30, 7 and 1 days before, once each", async () => {
    await setDeadline(40);
    const seen = [];
    const start = Date.now();
    for (const days of [40, 31, 30, 20, 8, 7, 3, 1, 0, -1]) {
      setClock({ now: () => new Date(start + (40 - days) * 86_400_000) });
      const before = mails.length;
      await work();
      const sent = mails.slice(before).map(({ text }) => /deprecated (tomorrow|today|in \d+\s+days)/.exec(text)?.[1]);
      if (sent.length > 0) seen.push([days, ...sent]);
    }
    expect(seen).toEqual([
      [30, "in 30 days"],
      [7, "in 7 days"],
      [1, "tomorrow"],
    ]);
  });
});

describe("recipients", () => {
  test("are the enabled admins of the practice who turned alerts on", async () => {
    await signInAs("admin", [basics.enabled]);
    const [staff, disabled, elsewhere] = [
      await signInAs("staff", [basics.enabled]),
      await signInAs("admin", [basics.enabled]),
      await signInAs("admin", [basics.disabled]),
    ];
    await db.run(
      sql`UPDATE staff_user SET gets_alerts = true WHERE id = ANY(${[staff.userId, disabled.userId, elsewhere.userId]})`,
    );
    await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${disabled.userId}`);
    await setDeadline(5);
    await work();
    expect(mails.map(({ to }) => to)).toEqual([[admin]]);
    expect(chats()).toHaveLength(1);
  });

  test("turn alerts on and off among the members, with a version", async () => {
    const one = await signInAs("admin", [basics.disabled]);
    const path = `practices/${basics.disabled}/members/${one.userId}`;
    const headers = { "if-match": '"1"' };
    const changed = await staffCallAs(one, "PATCH", path, { body: { gets_alerts: true }, headers });
    expect(changed.status).toBe(204);
    const { members, changes } = (await staffCallAs(one, "GET", `practices/${basics.disabled}/members`)).body;
    expect(members.find(({ id }: { id: number }) => id === one.userId)).toMatchObject({ gets_alerts: true });
    expect(changes[0].changes).toEqual({ gets_alerts: { old: false, new: true } });
  });

  test("get no retry after they turn alerts off", async () => {
    const { email, userId } = await signInAs("admin", [basics.enabled]);
    await db.run(sql`UPDATE staff_user SET gets_alerts = true WHERE id = ${userId}`);
    isBroken = true;
    await setDeadline(5);
    await work();
    isBroken = false;
    await db.run(sql`UPDATE staff_user SET gets_alerts = false WHERE id = ${userId}`);
    advance(6);
    await work();
    expect(mails.map(({ to }) => to)).toEqual([[admin]]);
    expect(await db.rows(sql`SELECT FROM alert WHERE recipient = ${email}`)).toEqual([]);
  });
});

describe("delivery", () => {
  test("several workers at once send an alert once on each channel", async () => {
    await setDeadline(5);
    await Promise.all(Array.from({ length: 6 }, work));
    expect(mails).toHaveLength(1);
    expect(chats()).toHaveLength(1);
  });

  test("is retried after a failure, on the failed channel only, and then ends", async () => {
    await setDeadline(5);
    isBroken = true;
    await work();
    expect([mails.length, chats().length]).toEqual([0, 1]);
    const [failed] = await db.rows<{ last_error: string }>(sql`SELECT last_error FROM alert WHERE sent_date IS NULL`);
    expect(failed?.last_error).toBe("The mail server failed: EMESSAGE.");
    isBroken = false;
    await work();
    expect(mails).toEqual([]);
    advance(6);
    await work();
    await work();
    expect([mails.length, chats().length]).toEqual([1, 1]);
  });

  test("is given up after three days", async () => {
    await setDeadline(5);
    isBroken = true;
    await work();
    isBroken = false;
    await db.run(sql`UPDATE alert SET created_date = created_date - interval '73 hours', next_attempt_date = now()`);
    await work();
    expect(mails).toEqual([]);
  });

  test("does not reach private addresses unless they are allowed", async () => {
    const settings = { SMTP_URL: undefined, ALERT_FROM: undefined, WEBHOOK_ALLOW_PRIVATE: false };
    const guarded = alertSenders(
      { ...settings, WEBHOOK_TIMEOUT_MS: 5_000, ALERT_WEBHOOK_URL: `http://127.0.0.1:${chat.port}` },
      ORIGIN,
    );
    await setDeadline(5);
    await workAlerts(guarded);
    await guarded.get("webhook")?.close();
    expect(chats()).toEqual([]);
    const [{ last_error } = { last_error: "" }] = await db.rows<{ last_error: string }>(
      sql`SELECT last_error FROM alert`,
    );
    expect(last_error).toBe("Must be an https URL.");
  });

  test("requires a sender with a mail server, and https for the webhook", () => {
    const set = { DATABASE_URL: "postgresql://u@localhost/d", SECRET_KEY: "x".repeat(32) };
    const mail = { ...set, SMTP_URL: "smtps://user:password@mail.example.org" };
    expect(() => loadConfig(mail)).toThrow("ALERT_FROM is required with SMTP_URL");
    expect(() => loadConfig({ ...mail, ALERT_FROM: "not an email" })).toThrow("ALERT_FROM");
    expect(loadConfig({ ...mail, ALERT_FROM: "alerts@example.org" }).SMTP_URL).toBe(mail.SMTP_URL);
    expect(() => loadConfig({ ...set, ALERT_WEBHOOK_URL: "http://chat.example.org/" })).toThrow("ALERT_WEBHOOK_URL");
  });

  test("is off without a setting", async () => {
    const settings = { SMTP_URL: undefined, ALERT_FROM: undefined, ALERT_WEBHOOK_URL: undefined };
    const off = alertSenders({ ...settings, WEBHOOK_ALLOW_PRIVATE: true, WEBHOOK_TIMEOUT_MS: 5_000 }, ORIGIN);
    expect(off.size).toBe(0);
  });
});
