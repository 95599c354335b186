// A policy takes another policy's rank: staff choose to swap, move or archive that policy, and can undo.
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { rounds } from "../support/rounds";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { activeByRank, expectStoresAgree, policiesOf } from "../support/stores";

let basics: Basics;
let staff: SignedIn;
let viewer: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  staff = await signInAs("staff", [basics.enabled]);
  viewer = await signInAs("viewer", [basics.enabled]);
});

type Rank = 1 | 2 | 3 | null;
interface Seen {
  id: number;
  version: number;
  rank: Rank;
  status: string;
}

const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

/** Creates a patient with active policies at these ranks, each named by its first rank: `M1`, `M2`, `M-`. */
async function seedInsuredPatient(...ranks: Rank[]) {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const list = `practices/${basics.enabled}/patients/${patient}/policies`;
  const created: Seen[] = [];
  for (const rank of ranks) {
    const body = { ...MARIA, rank, member_id: `M${rank ?? "-"}`, carrier: "Acme Health" };
    created.push((await staffCallAs(staff, "POST", list, { body })).body.policy);
  }
  return { patient, list, created };
}

const at = (policies: readonly Seen[], rank: Rank) => policies.find((one) => one.rank === rank) as Seen;
const seen = ({ id, version }: Seen) => ({ id, version });

/** Moves a policy to a rank and says what happens to the policy there. */
const put = (list: string, policy: Seen, rank: Rank, holder: Seen | null, to?: unknown, query = "") =>
  staffCallAs(staff, "PUT", `${list}/${policy.id}${query}`, {
    body: { ...MARIA, rank, rank_holder: holder && seen(holder), ...(to === undefined ? {} : { rank_holder_to: to }) },
    headers: { ...ifMatch(policy.version), "x-change-reason": "Confirmed at the desk" },
  });

describe("a policy that takes a rank", () => {
  test("swaps with the policy there: both get a version with actor and reason, and both stores agree", async () => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    const response = await put(list, at(created, 2), 1, at(created, 1), 2);
    expect(response.status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M2", 2: "M1" });
    expect((await policiesOf(patient)).map(({ version }) => version)).toEqual([2, 2]);
    const { body } = await call("GET", `patients/${patient}/policies/${at(created, 1).id}/versions/2`, {
      token: basics.token,
    });
    expect(body).toMatchObject({
      changes: { rank: { old: 1, new: 2 } },
      reason: "Confirmed at the desk",
      source: "staff",
    });
    await expectStoresAgree(patient);
  });

  test("moves the policy there to a free rank", async () => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    expect((await put(list, at(created, 2), 1, at(created, 1), 3)).status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M2", 3: "M1" });
    await expectStoresAgree(patient);
  });

  test.each([["archived"], [undefined]])("archives the policy there: %s", async (to) => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    expect((await put(list, at(created, 2), 1, at(created, 1), to)).status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M2" });
    const archived = (await policiesOf(patient)).find(({ status }) => status === "archived");
    expect(archived).toMatchObject({ member_id: "M1", archive_reason: "superseded" });
    await expectStoresAgree(patient);
  });

  test("moves the policy there when it is created, and the preview says so", async () => {
    const { patient, list, created } = await seedInsuredPatient(1);
    const body = {
      ...MARIA,
      rank: 1,
      member_id: "NEW",
      carrier: "Beacon Mutual",
      rank_holder: seen(at(created, 1)),
      rank_holder_to: 2,
    };
    const preview = await staffCallAs(staff, "POST", `${list}?dry_run=true`, { body });
    expect(preview.status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M1" });
    const done = await staffCallAs(staff, "POST", list, { body });
    expect(done.status).toBe(201);
    const effects = (response: typeof done) =>
      (response.body.effects as { kind: string; rank: number }[]).map(({ kind, rank }) => `${kind} ${rank}`).sort();
    expect(effects(preview)).toEqual(effects(done));
    expect(await activeByRank(patient)).toEqual({ 1: "NEW", 2: "M1" });
    await expectStoresAgree(patient);
  });

  test("moves the policy there when it is restored", async () => {
    const { patient, list, created } = await seedInsuredPatient(1);
    await staffCallAs(staff, "DELETE", `${list}/${created[0]?.id}`);
    const other = (await staffCallAs(staff, "POST", list, { body: { ...MARIA, rank: 1, member_id: "NOW" } })).body
      .policy;
    const body = { rank: 1, rank_holder: seen(other), rank_holder_to: 3 };
    const path = `${list}/${created[0]?.id}/restore`;
    expect((await staffCallAs(staff, "POST", path, { body, headers: ifMatch(2) })).status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M1", 3: "NOW" });
    await expectStoresAgree(patient);
  });

  test("is rejected without a change if a third policy would move, or the policy would move to its old rank", async () => {
    const { patient, list, created } = await seedInsuredPatient(1, 2, 3);
    const third = await put(list, at(created, 2), 1, at(created, 1), 3);
    expect([third.status, third.body.code]).toEqual([409, "rank_taken"]);
    const same = await put(list, at(created, 2), 1, at(created, 1), 1);
    expect(same.status).toBe(400);
    expect(Object.keys(same.body)).toEqual(["rank_holder_to"]);
    expect((await put(list, at(created, 2), 1, at(created, 1), "gone")).status).toBe(400);
    expect(await activeByRank(patient)).toEqual({ 1: "M1", 2: "M2", 3: "M3" });
    expect((await policiesOf(patient)).every(({ version }) => version === 1)).toBe(true);
  });

  test("lets only staff choose, because the API has no such field", async () => {
    const { patient } = await seedInsuredPatient(1);
    const body = { ...MARIA, rank: 1, rank_holder_to: 2 };
    const response = await call("POST", `patients/${patient}/policies`, { token: basics.token, body });
    expect(response.body).toEqual({ rank_holder_to: ["Unknown field."] });
  });
});

describe("undo", () => {
  const undo = (list: string, policies: { id: number; version: number }[], who = staff) =>
    staffCallAs(who, "POST", `${list}/undo`, { body: { policies }, headers: { "x-change-reason": "Undo" } });
  const newest = async (patient: number) => (await policiesOf(patient)).map(({ id, version }) => ({ id, version }));

  test.each([
    ["a swap", 2],
    ["a move", 3],
    ["an archiving", "archived"],
  ])("of %s restores every policy as a new version with a reason", async (_name, to) => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    const before = await policiesOf(patient);
    expect((await put(list, at(created, 2), 1, at(created, 1), to)).status).toBe(200);
    expect((await undo(list, await newest(patient))).status).toBe(200);
    const after = await policiesOf(patient);
    const bare = (rows: typeof before) => rows.map(({ version: _v, modified_date: _m, ...row }) => row);
    expect(bare(after)).toEqual(bare(before));
    expect(after.map(({ version }) => version)).toEqual([3, 3]);
    const { body } = await call("GET", `patients/${patient}/policies/${created[0]?.id}/versions/3`, {
      token: basics.token,
    });
    expect(body).toMatchObject({ reason: "Undo", source: "staff" });
    await expectStoresAgree(patient);
  });

  test("archives a new policy and returns its rank", async () => {
    const { patient, list, created } = await seedInsuredPatient(1);
    const body = { ...MARIA, rank: 1, member_id: "NEW", rank_holder: seen(at(created, 1)), rank_holder_to: 2 };
    await staffCallAs(staff, "POST", list, { body });
    expect((await undo(list, await newest(patient))).status).toBe(200);
    expect(await activeByRank(patient)).toEqual({ 1: "M1" });
    await expectStoresAgree(patient);
  });

  test("reports a policy that changed since and undoes nothing", async () => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    await put(list, at(created, 2), 1, at(created, 1), 2);
    const written = await newest(patient);
    await call("PATCH", `patients/${patient}/policies/${at(created, 1).id}`, {
      token: basics.token,
      body: { member_id: "LATER" },
    });
    const response = await undo(list, written);
    expect([response.status, response.body.code]).toEqual([412, "version_conflict"]);
    expect(response.body.detail).toContain("has changed since");
    expect(await activeByRank(patient)).toEqual({ 1: "M2", 2: "LATER" });
  });

  test("reports a rank that was taken since and undoes nothing", async () => {
    const { patient, list, created } = await seedInsuredPatient(1, 2);
    await put(list, at(created, 2), 1, at(created, 1), 3);
    const written = await newest(patient);
    await call("POST", `patients/${patient}/policies`, { token: basics.token, body: { ...MARIA, rank: 2 } });
    const response = await undo(list, written);
    expect([response.status, response.body.code]).toEqual([409, "rank_taken"]);
    expect(await activeByRank(patient)).toMatchObject({ 1: "M2", 3: "M1" });
  });

  test("is rejected for viewers, and finds no policy of another patient", async () => {
    const { patient, list } = await seedInsuredPatient(1);
    const { list: theirs } = await seedInsuredPatient(1);
    const written = await newest(patient);
    expect((await undo(list, written, viewer)).status).toBe(403);
    expect((await undo(theirs, written)).status).toBe(404);
  });
});

/** A change by one user, based on the policies as read before. */
const act = fc.record({
  policy: fc.nat(),
  rank: fc.constantFrom<Rank>(1, 2, 3),
  to: fc.constantFrom(1, 2, 3, "archived", undefined),
  how: fc.constantFrom("put", "put", "put", "create", "restore", "undo"),
});

test("concurrent choices cause no server error: one active policy per rank, none lost, both stores agree", async () => {
  const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      async (rounds) => {
        const { patient, list } = await seedInsuredPatient(1, 2, 3);
        let known = 3;
        for (const round of rounds) {
          const policies = (await policiesOf(patient)) as Seen[];
          const responses = await Promise.all(
            round.map(({ policy, rank, to, how }) => {
              const one = policies[policy % policies.length] as Seen;
              const holder = policies.find((other) => other.status === "active" && other.rank === rank) ?? null;
              const taking = { rank, rank_holder: holder && seen(holder), ...(to && { rank_holder_to: to }) };
              if (how === "put") return put(list, one, rank, holder, to);
              if (how === "create") return staffCallAs(staff, "POST", list, { body: { ...MARIA, ...taking } });
              if (how === "undo")
                return staffCallAs(staff, "POST", `${list}/undo`, { body: { policies: [seen(one)] } });
              return staffCallAs(staff, "POST", `${list}/${one.id}/restore`, {
                body: taking,
                headers: ifMatch(one.version),
              });
            }),
          );
          for (const { status } of responses) expect([200, 201, 400, 409, 412]).toContain(status);
          known += responses.filter(({ status }) => status === 201).length;
          await expectStoresAgree(patient);
        }
        expect(await policiesOf(patient)).toHaveLength(known);
      },
    ),
    { seed, numRuns: rounds(25) },
  );
});
