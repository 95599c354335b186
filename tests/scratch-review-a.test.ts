import { beforeAll, expect, test } from "vitest";
import pg from "pg";
import { verifyAudit } from "@/lib/audit/queries";
import { db, sql } from "@/lib/db/sql";
import { resumeSubscription, pauseSubscription } from "@/lib/events/commands/pause-subscription";
import { publishEvents } from "@/lib/events/commands/publish-events";
import { transaction } from "@/lib/db/transaction";
import { claimEvents } from "@/lib/events/commands/claim-events";
import { settleAttempt } from "@/lib/events/commands/settle-attempts";
import { systemOrigin } from "@/lib/history/origin";
import { type Basics, call, MARIA, seedBasics, seedPatient, seedCompany } from "./support/api";
import { newListener, storedEvents, shownEvents } from "./support/webhook-clients";
process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.RATE_LIMIT_PER_SECOND = "100000";
let b: Basics;
const out = (...a: unknown[]) => process.stderr.write(`## ${a.map((x) => typeof x === "string" ? x : JSON.stringify(x)).join(" ")}\n`);
const origin = systemOrigin({ name: "x", source: "staff", operation: "x.y" });
beforeAll(async () => { b = await seedBasics(); });
const audits = async () => (await db.first<{n:number}>(sql`SELECT count(*) AS n FROM audit_entry`))!.n;

test("1 target CJK", async () => {
  let t = "https://example.com/";
  while (t.length < 1990) t += String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20000));
  const r = await call("POST", "subscriptions", { token: b.token, body: { resource: "patients", target: t } });
  out("1 CJK target", r.status, r.body);
  let p = "https://example.com/";
  while (p.length < 2000) p += Math.random().toString(36).slice(2, 12);
  const r2 = await call("POST", "subscriptions", { token: b.token, body: { resource: "patients", target: p.slice(0, 2000) } });
  out("1b ascii", r2.status);
  for (const target of ["https:example.com", "https://example.com:99999/", "https://a\u200bb.example/", "https://example.com/\u202e", "https://" + "a".repeat(300) + ".com", "https://xn--/", "https://%31/"]) {
    const x = await call("POST", "subscriptions", { token: b.token, body: { resource: "physicians", target } });
    out("1c", target.slice(0, 40), x.status, x.status >= 400 ? x.body : "");
  }
  for (const properties of [{ __proto__x: 1 }, JSON.parse('{"__proto__":{"a":1},"constructor":2}'), 1e308, -0, [[[]]], "x".repeat(9998), "x".repeat(9999), false, null]) {
    const x = await call("POST", "subscriptions", { token: b.token, body: { resource: "practices", target: `https://e.com/${Math.random()}`, properties } });
    out("1d", x.status, JSON.stringify(x.status < 300 ? x.body.properties : x.body).slice(0, 100));
  }
});

test("2 HEAD", async () => {
  const id = await seedPatient(b.enabled, b.physicians.enabled);
  const p = await call("POST", `patients/${id}/policies`, { token: b.token, body: { ...MARIA, rank: 1, carrier: "Acme", member_id: "M1" } });
  const before = await audits();
  const h = await call("HEAD", `patients/${id}`, { token: b.token });
  const h2 = await call("HEAD", `patients/${id}/policies/${p.body.id}`, { token: b.token });
  const l1 = await call("HEAD", `patients?last_name=Lopez&dob=1980-05-17&member_id=M1`, { token: b.token });
  const l2 = await call("HEAD", `patients?last_name=Lopez&dob=1980-05-17&member_id=M2`, { token: b.token });
  out("2 HEAD", h.status, h.headers.get("etag"), h.headers.get("link"), h2.headers.get("etag"), "list hit:", l1.headers.get("deprecation"), "miss:", l2.headers.get("deprecation"), "audit rows added:", (await audits()) - before);
  const use = await db.rows(sql`SELECT * FROM legacy_use`); out("use rows (unflushed)", use.length);
});

test("3 companies", async () => {
  const company = await seedCompany(b.enabled);
  const id = await seedPatient(b.enabled, b.physicians.enabled);
  await call("POST", `patients/${id}/policies`, { token: b.token, body: { ...MARIA, rank: 1, carrier: "Acme", insurance_company: company } });
  const before = await audits();
  const g = await call("GET", `insurance_companies/${company}`, { token: b.token });
  out("3 company", g.status, "patients shown", g.body.patients, "audit rows added", (await audits()) - before);
});

test("4 held race", async () => {
  const l = await newListener(b, "http://127.0.0.1:9/x", "practices");
  await transaction((tx) => pauseSubscription(tx, l.subscription.id, origin));
  let go!: () => void; const gate = new Promise<void>((r) => { go = r; });
  let inserted!: () => void; const ins = new Promise<void>((r) => { inserted = r; });
  const writer = transaction(async (tx) => {
    await publishEvents(tx, { type: "saved", resource: "practices", ids: [b.enabled], practiceId: b.enabled, origin });
    inserted(); await gate;
  });
  await ins;
  await resumeSubscription(l.subscription.id, origin);
  go(); await writer;
  const s = await db.first(sql`SELECT paused_date FROM subscription WHERE id = ${l.subscription.id}`);
  out("4 after resume", s, (await storedEvents(l.subscription.id)).map((e) => e.delivery));
  const again = await resumeSubscription(l.subscription.id, origin).catch((e) => e.message);
  out("4 resume again:", again);
});

test("5 dates", async () => {
  const l = await newListener(b, "http://127.0.0.1:9/y", "practices");
  await transaction((tx) => publishEvents(tx, { type: "saved", resource: "practices", ids: [b.enabled], practiceId: b.enabled, origin }));
  const [e] = await storedEvents(l.subscription.id);
  for (const d of ["9999-12-31T23:59:59-15:59", "9999-12-31T23:59:59.9999Z", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "2026-11-21T10:00", "2026-02-29T10:00:00Z", "2026-11-21T10:00:00.123456789123456789Z", "0000-01-01T00:00:00Z", "2026-11-21T10:00:60Z","2026-11-21T24:00:00Z","2026-11-21T10:00:00+00:60"]) {
    const r = await call("PUT", `published_events/${e.event_id}`, { token: l.client.token, body: { processed_date: d } });
    const g = await call("GET", `published_events/${e.event_id}`, { token: l.client.token });
    const f = await call("GET", `published_events?processed_date__lte=${encodeURIComponent(d)}&created_date__gt=${encodeURIComponent(d)}`, { token: l.client.token });
    out("5", d, r.status, r.body.processed_date, "GET", g.status, g.body.processed_date, "filter", f.status);
  }
});

test("6 verifier null", async () => {
  const c = new pg.Client({ connectionString: process.env.DATABASE_URL }); await c.connect();
  await c.query("ALTER TABLE audit_entry DISABLE TRIGGER USER");
  await c.query("UPDATE audit_entry SET patients = NULL WHERE seq = 2");
  const v = await verifyAudit().catch((e) => `THROWS ${e}`);
  out("6 verify", v);
  await c.query("UPDATE audit_entry SET patients = '{{1},{2}}' WHERE seq = 2");
  out("6 multi", await verifyAudit().then((x) => x.broken).catch((e) => `THROWS ${e}`));
  await c.query("UPDATE audit_entry SET patients = '{1}', occurred_date = 'infinity' WHERE seq = 2");
  out("6 inf", await verifyAudit().then((x) => x.broken).catch((e) => `THROWS ${e}`));
  await c.end();
});

test("7 idempotency null patients", async () => {
  const id = await seedPatient(b.disabled, b.physicians.disabled);
  const headers = { "idempotency-key": "k-123" };
  const r = await call("POST", `patients/${id}/policies`, { token: b.token, headers, body: { ...MARIA, rank: 1, carrier: "Acme" } });
  await db.run(sql`UPDATE idempotency_key SET patients = NULL WHERE key = 'k-123'`);
  const r2 = await call("POST", `patients/${id}/policies`, { token: b.token, headers, body: { ...MARIA, rank: 1, carrier: "Acme" } });
  out("7", r.status, r2.status, r2.body);
});

test("8 head of line", async () => {
  const a = await seedPatient(b.enabled, b.physicians.enabled);
  const z = await seedPatient(b.foreign, b.physicians.foreign);
  await call("GET", `patients/${a}`, { token: b.token }); await call("GET", `patients/${z}`, { token: b.stranger });
  const c = new pg.Client({ connectionString: process.env.DATABASE_URL }); await c.connect();
  await c.query("BEGIN"); await c.query("SELECT * FROM audit_chain WHERE practice_id = $1 FOR UPDATE", [b.enabled]);
  const first = call("GET", `patients/${a}`, { token: b.token });
  await new Promise((r) => setTimeout(r, 300));
  const t = Date.now();
  const other = await call("GET", `patients/${z}`, { token: b.stranger });
  out("8 other practice's read", other.status, `${Date.now() - t} ms`, "first", (await first).status);
  await c.query("ROLLBACK"); await c.end();
}, 40_000);

test("9 cpu of properties", async () => {
  const row = `[${Array(9000).fill("1").join(",")}]`;
  for (const rows of [50, 850]) {
    const body = `{"resource":"patients","target":"https://e.com/q","properties":[${Array(rows).fill(row).join(",")}]}`;
    const t = performance.now(); let worst = 0, last = performance.now();
    const timer = setInterval(() => { worst = Math.max(worst, performance.now() - last); last = performance.now(); }, 5);
    const r = await call("POST", "subscriptions", { token: b.token, body, headers: { "content-type": "application/json" } });
    worst = Math.max(worst, performance.now() - last); clearInterval(timer);
    out("9", `${(body.length / 1e6).toFixed(1)} MB`, r.status, JSON.stringify(r.body).slice(0, 100), `${Math.round(performance.now() - t)} ms, loop blocked ${Math.round(worst)} ms`);
    const t2 = performance.now();
    const u = await call("PUT", "published_events/1", { token: b.token, body: body.replace("properties", "x"), headers: { "content-type": "application/json" } });
    out("9b same body where it is ignored", u.status, `${Math.round(performance.now() - t2)} ms`);
  }
}, 120_000);

test("10 holdBack", async () => {
  const l = await newListener(b, "http://127.0.0.1:9/z", "practices");
  await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id <> ${l.subscription.id}`);
  const pub = () => transaction((tx) => publishEvents(tx, { type: "saved", resource: "practices", ids: [b.enabled], practiceId: b.enabled, origin }));
  await pub();
  await db.run(sql`UPDATE published_event SET attempts = 11 WHERE subscription_id = ${l.subscription.id}`);
  const [c] = await claimEvents(10); out("10 claimed", c?.attempts);
  await pub();
  const [e] = await storedEvents(l.subscription.id);
  const rep = await call("PUT", `published_events/${e.event_id}`, { token: l.client.token, body: { processed_date: "2026-11-21T10:00:00Z" } });
  await settleAttempt(c!, { status: 500, error: "HTTP 500.", durationMs: 5 });
  out("10 report", rep.status, (await storedEvents(l.subscription.id)).map((x) => [x.delivery, x.attempts, x.next_attempt_date]), "now", new Date().toISOString(), "claimed now:", (await claimEvents(10)).length);
});
