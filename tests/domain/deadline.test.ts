// The deprecation of the legacy API: exact to the second, by the practice's own clock. Also the report of who still uses it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { setClock } from "@/lib/platform/clock";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { setDeprecationClock } from "@/lib/practice/practices/commands";
import { flushLegacyUse, listLegacyUse } from "@/lib/practice/practices/legacy-usage";
import type { DeprecationClockInput } from "@/lib/practice/practices/schema";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";
import { imageContent } from "@/tests/support/images";
import { owner } from "@/tests/support/owner";

const DATE = "2025-10-31";
const BEFORE = "2025-10-30T23:59:59.000Z";
const AFTER = "2025-10-31T00:00:01.000Z";
const INSURANCES = [{ rank: "primary", carrier: "Acme" }];
const origin = systemOrigin({ name: "Robin", source: "staff", operation: "practices.set_clock" });

let basics: Basics;
let patient: number;
let token: string;

beforeEach(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});
afterEach(() => setClock());

/** Moves the process's clock, which every practice follows except those that rehearse. */
const goTo = (time: string) => setClock({ now: () => new Date(time) });

async function setOf(practiceId: number, input: DeprecationClockInput): Promise<void> {
  const access = mintAccess({ practices: [practiceId], actor: origin.actor });
  await setDeprecationClock({ access, practiceId, origin, ...input });
}

const write = (id = patient) => call("PATCH", `patients/${id}`, { token, body: { insurances: INSURANCES } });
const read = (id = patient) => call("GET", `patients/${id}`, { token });
/** Moves to a time, with a token that stays valid. */
async function issueAt(time: string): Promise<void> {
  goTo(time);
  const practices = [basics.enabled, basics.disabled];
  token = await tokenFor({ organizationId: basics.organization, practices, lifetimeSeconds: 10 * 365 * 86_400 });
}

describe("enforce", () => {
  test("one second before the date a write with insurances succeeds; one second after, it is a 422, and reads lose both arrays", async () => {
    await setOf(basics.enabled, { date: DATE, mode: "enforce" });
    await issueAt(BEFORE);
    expect((await write()).status).toBe(200);
    expect(Object.keys((await read()).body)).toEqual(expect.arrayContaining(["insurances", "deleted_insurances"]));
    expect((await read()).headers.get("sunset")).toBe("Fri, 31 Oct 2025 00:00:00 GMT");

    goTo(AFTER);
    const rejected = await write();
    expect([rejected.status, rejected.body.code]).toEqual([422, "legacy_insurances_deprecated"]);
    const [one, list] = [await read(), await call("GET", "patients?limit=100", { token })];
    for (const shown of [one.body, ...list.body.results.filter(({ id }: { id: number }) => id === patient)]) {
      expect(Object.keys(shown)).not.toContain("insurances");
      expect(Object.keys(shown)).not.toContain("deleted_insurances");
    }
    expect(one.headers.get("deprecation")).toBeNull();
    const { body } = await call("GET", `patients/${patient}/policies`, { token });
    expect(body.results).toHaveLength(1);
  });

  test("the date takes effect at its exact second; the rest of the record can still be written", async () => {
    await setOf(basics.enabled, { date: DATE, mode: "enforce" });
    await issueAt("2025-10-31T00:00:00.000Z");
    expect((await write()).status).toBe(422);
    const other = await call("PATCH", `patients/${patient}`, { token, body: { middle_name: "Q" } });
    expect([other.status, Object.keys(other.body).includes("insurances")]).toEqual([200, false]);
    const both = await call("PATCH", `patients/${patient}`, { token, body: { middle_name: "R", insurances: [] } });
    expect(both.status).toBe(422);
    expect((await read()).body.middle_name).toBe("Q");
  });

  test("the date applies to new patients and to cards by rank", async () => {
    await setOf(basics.disabled, { date: DATE, mode: "enforce" });
    const id = await seedPatient(basics.disabled, basics.physicians.disabled);
    const person = { first_name: "Ada", last_name: "Byron", dob: "1990-01-01", sex: "Female" };
    const created = { ...person, caregiver_practice: basics.disabled, primary_physician: basics.physicians.disabled };
    const card = { rank: 1, side: 1, image: await imageContent(1) };
    const writes = () => [
      call("POST", "patients?allow_duplicate=true", { token, body: { ...created, insurances: INSURANCES } }),
      call("POST", `patients/${id}/insurance_cards`, { token, body: card }),
    ];
    await issueAt(BEFORE);
    expect((await Promise.all(writes())).map(({ status }) => status)).toEqual([201, 201]);
    goTo(AFTER);
    expect((await Promise.all(writes())).map(({ status, body }) => [status, body.code])).toEqual(
      Array(2).fill([422, "legacy_insurances_deprecated"]),
    );
  });
});

test("announce: after the date, writes still succeed, with deprecation headers", async () => {
  await setOf(basics.enabled, { date: DATE, mode: "announce" });
  await issueAt("2026-06-01T00:00:00.000Z");
  const { status, headers, body } = await write();
  expect([status, body.insurances.length]).toEqual([200, 1]);
  expect(Object.fromEntries(headers)).toMatchObject({
    deprecation: `@${Date.parse(DATE) / 1000}`,
    sunset: "Fri, 31 Oct 2025 00:00:00 GMT",
    link: `<http://localhost:3000/api/2.0/patients/${patient}/policies>; rel="successor-version"`,
  });
});

test("a rehearsal moves only its own practice's clock, and can be ended", async () => {
  const other = await seedPatient(basics.disabled, basics.physicians.disabled);
  for (const practice of [basics.enabled, basics.disabled]) await setOf(practice, { date: DATE, mode: "enforce" });
  await issueAt(BEFORE);
  await setOf(basics.enabled, { rehearsalTime: AFTER });
  expect([(await write()).status, (await write(other)).status]).toEqual([422, 200]);
  expect((await read()).body.insurances).toBeUndefined();
  expect((await read(other)).body.insurances).toHaveLength(1);
  const list = await call("GET", "patients?limit=100", { token });
  const withArrays = list.body.results.filter((row: object) => "insurances" in row);
  expect(withArrays.map(({ id }: { id: number }) => id)).toEqual([other]);

  goTo(AFTER);
  await setOf(basics.disabled, { rehearsalTime: BEFORE });
  expect((await write(other)).status).toBe(200);
  await setOf(basics.disabled, { rehearsalTime: null });
  await setOf(basics.enabled, { rehearsalTime: null, mode: "announce" });
  expect([(await write()).status, (await write(other)).status]).toEqual([200, 422]);
});

describe("the use of legacy insurances is counted by client, practice, endpoint and day", () => {
  const used = async () => {
    await flushLegacyUse();
    const access = mintAccess({ practices: [basics.enabled, basics.disabled], actor: origin.actor });
    const rows = await listLegacyUse(access, "2020-01-01");
    return rows.map(({ practice_id, endpoint, day, reads, writes }) => [practice_id, endpoint, day, reads, writes]);
  };

  test("reads and writes count, including rejected ones; dry runs, writes of other fields and reads without the arrays do not", async () => {
    await issueAt("2025-10-01T12:00:00.000Z");
    for (let at = 0; at < 3; at++) await read();
    await write();
    await call("PATCH", `patients/${patient}`, {
      token,
      body: { insurances: [{ rank: "primary" }, { rank: "primary" }] },
    });
    await call("PATCH", `patients/${patient}?dry_run=true`, { token, body: { insurances: [] } });
    await call("PATCH", `patients/${patient}`, { token, body: { middle_name: "Q" } });
    await call("GET", `patients/${patient}/insurance_cards`, { token });
    await call("POST", `patients/${patient}/insurance_cards`, {
      token,
      body: { rank: 1, side: 1, image: await imageContent(1) },
    });
    await seedPatient(basics.disabled, basics.physicians.disabled);
    await call("GET", "patients", { token });
    expect(await used()).toEqual([
      [basics.enabled, "insurance_cards.create", "2025-10-01", 0, 1],
      [basics.enabled, "insurance_cards.list", "2025-10-01", 1, 0],
      [basics.enabled, "patients.get", "2025-10-01", 3, 0],
      [basics.enabled, "patients.list", "2025-10-01", 1, 0],
      [basics.enabled, "patients.update", "2025-10-01", 0, 2],
      [basics.disabled, "patients.list", "2025-10-01", 1, 0],
    ]);
    await setOf(basics.enabled, { date: "2025-09-01", mode: "enforce" });
    goTo("2025-10-02T00:00:00.000Z");
    await read();
    expect((await write()).status).toBe(422);
    expect((await used())[0]).toEqual([basics.enabled, "patients.update", "2025-10-02", 0, 1]);
    expect((await used()).filter(([, , day]) => day === "2025-10-02")).toHaveLength(1);
  });

  test("every write to a visible patient counts, even if it fails; a request that is rejected earlier does not", async () => {
    await issueAt("2025-10-03T12:00:00.000Z");
    const path = `patients/${patient}`;
    const sent = async (change: object, headers: Record<string, string> = {}) =>
      (await call("PATCH", path, { token, headers, body: { insurances: INSURANCES, ...change } })).status;
    expect(await sent({}, { "if-match": '"99"' })).toBe(412);
    expect(await sent({ primary_physician: 999_999 })).toBe(400);
    expect((await call("DELETE", `${path}/insurance_cards?rank=1&side=1`, { token })).status).toBe(404);
    await db.run(sql`
      INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, status, created_date, next_attempt_date)
      VALUES (${patient}, ${basics.enabled}, 'policies_to_patients', 'update', '[]', '{}', 'failed', now(), now())`);
    expect(await sent({})).toBe(409);
    const counted = [
      [basics.enabled, "insurance_cards.delete", "2025-10-03", 0, 1],
      [basics.enabled, "patients.update", "2025-10-03", 0, 3],
    ];
    expect(await used()).toEqual(counted);
    expect(await sent({ sex: "?" })).toBe(400);
    const foreign = await seedPatient(basics.foreign, basics.physicians.foreign);
    expect((await write(foreign)).status).toBe(404);
    expect(await used()).toEqual(counted);
  });

  test("concurrent uses share one row, and a count that fails is written later", async () => {
    await issueAt("2025-10-05T12:00:00.000Z");
    await Promise.all(Array.from({ length: 100 }, () => read()));
    await owner.run(sql`ALTER TABLE legacy_usage RENAME TO away`);
    await flushLegacyUse();
    await read();
    await owner.run(sql`ALTER TABLE away RENAME TO legacy_usage`);
    await flushLegacyUse();
    const rows = await db.rows(
      sql`SELECT reads, writes FROM ${raw("legacy_usage")} WHERE practice_id = ${basics.enabled}`,
    );
    expect(rows).toEqual([{ reads: 101, writes: 0 }]);
  });
});
