// Discarding a failed replication event makes both stores agree, or changes nothing.

import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { discardEvent } from "@/lib/insurance/replication/staff-commands";
import { setClock } from "@/lib/platform/clock";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { rounds } from "../support/rounds";
import { activeByRank, expectStoresAgree, policiesOf } from "../support/stores";

process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const RUNS = rounds(25);
const ACTOR = { type: "staff" as const, id: 1, name: "Front desk" };

let basics: Basics;
let patient: number;

/** What each store rejects for a patient: records with a member ID, or all (`*`). */
beforeAll(async () => {
  basics = await seedBasics();
  await owner.run(sql`CREATE TABLE refused (side text, patient_id bigint, member_id text)`);
  await owner.run(sql`GRANT ALL ON refused TO PUBLIC`);
  for (const side of ["policy", "patient_insurance"]) {
    await owner.run(
      raw(`CREATE FUNCTION refuse_${side}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM refused r WHERE r.side = '${side}' AND r.patient_id = NEW.patient_id
        AND (r.member_id = '*' OR r.member_id = NEW.member_id)) THEN RAISE EXCEPTION '% is broken', '${side}'; END IF;
      RETURN NEW; END $$`),
    );
    await owner.run(
      raw(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${side} FOR EACH ROW EXECUTE FUNCTION refuse_${side}()`),
    );
  }
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});
afterEach(async () => {
  setClock();
  await db.run(sql`DELETE FROM refused`);
});

const refuse = (side: "policy" | "patient_insurance", member = "*") =>
  db.run(sql`INSERT INTO refused VALUES (${side}, ${patient}, ${member})`);
const mend = () => db.run(sql`DELETE FROM refused WHERE patient_id = ${patient}`);
const events = () =>
  db.rows<{ id: number; status: string }>(
    sql`SELECT id, status FROM replication_event WHERE patient_id = ${patient} ORDER BY id`,
  );
const statuses = async () => (await events()).map(({ status }) => status);
const send = (method: string, path: string, body?: unknown) =>
  call(method, `patients/${patient}${path}`, { token: basics.token, body });
const create = (member_id: string, rank: number | null) => send("POST", "/policies", { ...MARIA, rank, member_id });

const staff = (reason: string | null = "The insurer confirmed it", practice?: number) => ({
  access: mintAccess({ practices: practice ? [practice] : [basics.enabled, basics.disabled], actor: ACTOR }),
  origin: {
    ...systemOrigin({ name: "test", source: "staff", operation: "staff.stream.discard" }),
    actor: ACTOR,
    reason,
  },
});

/** Retries at each due time until the oldest event fails permanently. Returns its ID. */
async function park(): Promise<number> {
  for (let hours = 1; hours < 12; hours++) {
    setClock({ now: () => new Date(Date.now() + hours * 3_600_000) });
    await deliverPatient(patient);
  }
  setClock();
  const parked = (await events()).find(({ status }) => status === "failed");
  expect(parked).toBeDefined();
  return parked?.id as number;
}

test("discarding an event that was corrected since sends the current record to the other store, and both agree", async () => {
  await refuse("patient_insurance", "BAD");
  const created = await create("BAD", 1);
  const parked = await park();
  await send("PATCH", `/policies/${created.body.id}`, { member_id: "GOOD" });
  expect(await discardEvent(staff(), parked)).toEqual({ applied: 1, given_up: 0 });
  expect(await statuses()).toEqual(["discarded", "acknowledged"]);
  expect(await activeByRank(patient)).toEqual({ "1": "GOOD" });
  await expectStoresAgree(patient);
});

test("if the other store can't accept the current record either, nothing changes and the message says why", async () => {
  await refuse("patient_insurance", "BAD");
  await create("BAD", 1);
  await create("GOOD", 2);
  const parked = await park();
  await expect(discardEvent(staff(), parked)).rejects.toMatchObject({
    reason: "discard_refused",
    message: expect.stringMatching(/^The event was not discarded.*patient_insurance is broken.*Correct the insurance/),
  });
  expect(await statuses()).toEqual(["failed", "pending"]);
  await mend();
  await discardEvent(staff(), parked);
  await expectStoresAgree(patient);
});

test("an event that waits behind it and fails without it is also discarded, and its record is carried over", async () => {
  await refuse("patient_insurance", "BAD");
  const created = await create("BAD", 1);
  await send("PATCH", `/policies/${created.body.id}`, { group_id: "G7" });
  await send("PATCH", `/policies/${created.body.id}`, { member_id: "GOOD" });
  expect(await discardEvent(staff(), await park())).toEqual({ applied: 1, given_up: 1 });
  expect(await statuses()).toEqual(["discarded", "discarded", "acknowledged"]);
  await expectStoresAgree(patient);
});

test("after a discarded legacy write the policies follow the current insurances, attributed to the user who discarded it", async () => {
  const created = await create("A1", 1);
  await deliverPatient(patient);
  await refuse("policy", "BAD");
  const { insurances } = (await send("GET", "")).body;
  const kept = { id: insurances[0].id, rank: "primary" };
  await send("PATCH", "", { insurances: [{ ...kept, member_id: "BAD" }] });
  const parked = await park();
  await send("PATCH", "", { insurances: [{ ...kept, rank: "secondary", member_id: "GOOD" }] });
  await mend();
  await discardEvent(staff(), parked);
  expect(await activeByRank(patient)).toEqual({ "2": "GOOD" });
  expect((await policiesOf(patient)).map(({ id }) => id)).toEqual([created.body.id]);
  await expectStoresAgree(patient);
});

test("an image that moves on while its next policy is discarded is only on the last policy", async () => {
  patient = await seedPatient(basics.disabled, basics.physicians.disabled);
  const legacy = (member_id: string) => send("PATCH", "", { insurances: [{ rank: "primary", member_id }] });
  await legacy("A1");
  await send("POST", "/insurance_cards", { rank: 1, side: 1, image: await imageContent(1) });
  await deliverPatient(patient);
  await refuse("policy", "A2");
  await legacy("A2");
  await legacy("A3");
  await send("PATCH", "", { insurances: [] });
  const parked = await park();
  await mend();
  await discardEvent(staff(), parked);
  const images = (await policiesOf(patient)).map(({ member_id, card_images }) => [member_id, card_images.length]);
  expect(Object.fromEntries(images)).toEqual({ A1: 0, A2: 0, A3: 1 });
  await expectStoresAgree(patient);
});

test("discarding requires a reason, a failed event and access to the practice, and is audited", async () => {
  await refuse("patient_insurance");
  await create("A1", 1);
  await create("A2", 2);
  const [first, second] = await events();
  await expect(discardEvent(staff(), first?.id ?? 0)).rejects.toMatchObject({ reason: "event_not_parked" });
  const parked = await park();
  await expect(discardEvent(staff(null), parked)).rejects.toMatchObject({ code: "validation_failed" });
  await expect(discardEvent(staff("No", basics.foreign), parked)).rejects.toMatchObject({ code: "not_found" });
  await expect(discardEvent(staff(), second?.id ?? 0)).rejects.toMatchObject({ reason: "event_blocked" });
  await mend();
  await discardEvent(staff(), parked);
  await expect(discardEvent(staff(), parked)).rejects.toMatchObject({ reason: "event_settled" });
  const [entry] =
    await db.rows(sql`SELECT kind, actor_name, operation, reason, patients::int[] AS patients FROM audit_log
    WHERE operation = 'staff.stream.discard' ORDER BY id DESC LIMIT 1`);
  expect(entry).toEqual({
    kind: "change",
    actor_name: "Front desk",
    operation: "staff.stream.discard",
    reason: "The insurer confirmed it",
    patients: [patient],
  });
});

const rank = fc.constantFrom(null, 1, 2, 3);
const pick = fc.nat({ max: 7 });
const member = fc.stringMatching(/^[A-Z0-9]{1,6}$/);
const onPolicies = fc.oneof(
  fc.record({ do: fc.constant("create" as const), rank, member }),
  fc.record({ do: fc.constant("update" as const), pick, rank, member }),
  fc.record({ do: fc.constant("archive" as const), pick }),
  fc.record({ do: fc.constant("restore" as const), pick }),
  fc.record({ do: fc.constant("remove" as const), pick }),
  fc.record({ do: fc.constant("image" as const), pick, seed: fc.nat(20) }),
  fc.record({ do: fc.constant("unimage" as const), pick }),
);
const onInsurances = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("legacy" as const),
      entries: fc.uniqueArray(fc.record({ keep: fc.option(pick), rank: fc.constantFrom(...RANK_WORDS), member }), {
        selector: (entry) => entry.rank,
        maxLength: 3,
      }),
    }),
  },
  fc.record({ do: fc.constant("rename" as const), name: fc.constantFrom("Lopez", "López", "Hart") }),
  fc.record({ do: fc.constant("card" as const), rank: fc.constantFrom(1, 2, 3), seed: fc.nat(20) }),
  fc.record({ do: fc.constant("uncard" as const), rank: fc.constantFrom(1, 2, 3) }),
);
type Operation =
  | (typeof onPolicies extends fc.Arbitrary<infer T> ? T : never)
  | (typeof onInsurances extends fc.Arbitrary<infer T> ? T : never);

async function perform(step: Operation): Promise<void> {
  const all = await policiesOf(patient);
  const someone = "pick" in step ? all[step.pick % Math.max(1, all.length)] : undefined;
  const who = (await send("GET", "")).body;
  const identity = { ...MARIA, patient_last_name: who.last_name };
  if (step.do === "create") await send("POST", "/policies", { ...identity, rank: step.rank, member_id: step.member });
  else if (step.do === "rename") await send("PATCH", "", { last_name: step.name });
  else if (step.do === "card")
    await send("POST", "/insurance_cards", { rank: step.rank, side: 1, image: await imageContent(step.seed) });
  else if (step.do === "uncard") await send("DELETE", `/insurance_cards?rank=${step.rank}&side=1`);
  else if (step.do === "legacy") {
    const insurances = step.entries.map((entry) => ({
      rank: entry.rank,
      member_id: entry.member,
      ...(entry.keep !== null &&
        who.insurances.length > 0 && { id: who.insurances[entry.keep % who.insurances.length].id }),
    }));
    await send("PATCH", "", { insurances });
  }
  if (!someone) return;
  const policy = `/policies/${someone.id}`;
  if (step.do === "update") await send("PUT", policy, { ...identity, rank: step.rank, member_id: step.member });
  else if (step.do === "archive") await send("DELETE", policy);
  else if (step.do === "restore") await send("POST", `${policy}/restore`);
  else if (step.do === "remove") await send("DELETE", `${policy}?permanent=true`);
  else if (step.do === "image")
    await send("POST", `${policy}/card-images`, { image_rank: 1, image: await imageContent(step.seed) });
  else if (step.do === "unimage") await send("DELETE", `${policy}/card-images/1`);
}

const sides = [
  ["policies", "enabled", onPolicies],
  ["insurances", "enabled", onInsurances],
  ["insurances", "disabled", onInsurances],
] as const;

test.each(sides)(
  `after any discarded writes on the %s, versioning %s, both stores agree and history replays (seed ${SEED})`,
  async (_side, setting, operation) => {
    const steps = fc.array(operation as fc.Arbitrary<Operation>, { minLength: 1, maxLength: 6 });
    const before = fc.array(fc.oneof(onPolicies, onInsurances) as fc.Arbitrary<Operation>, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(before, steps, async (earlier, writes) => {
        patient = await seedPatient(basics[setting], basics.physicians[setting]);
        for (const step of earlier) await perform(step);
        await deliverPatient(patient);
        for (const step of writes) await perform(step);
        const open = (await events()).filter(({ status }) => status === "pending");
        if (open[0]) {
          await db.run(sql`UPDATE replication_event SET status = 'failed', attempts = 8 WHERE id = ${open[0].id}`);
          await discardEvent(staff(), open[0].id);
        }
        await expectStoresAgree(patient);
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: false },
    );
  },
);
