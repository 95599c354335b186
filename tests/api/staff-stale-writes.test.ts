// Staff writes based on an outdated version, on an outdated policy at a rank, or on the practice's previous setting.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { pathOf, STAFF_ENDPOINTS } from "../support/staff-world";
import { activeByRank } from "../support/stores";

let basics: Basics;
let staff: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  staff = await signInAs("staff", [basics.enabled, basics.disabled]);
});

const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

/** Creates a patient with an active policy at each of these ranks, in this order. */
async function seedInsuredPatient(practice: "enabled" | "disabled", ...ranks: (number | null)[]) {
  const id = await seedPatient(basics[practice], basics.physicians[practice]);
  const path = `practices/${basics[practice]}/patients/${id}`;
  const policies: number[] = [];
  for (const rank of ranks) {
    const body = { ...MARIA, rank, member_id: `M${rank}` };
    policies.push((await call("POST", `patients/${id}/policies`, { token: basics.token, body })).body.id);
  }
  return { id, path, policies };
}

async function cardForm(): Promise<FormData> {
  const { base64_content } = await imageContent(1);
  const body = new FormData();
  body.set("rank", "1");
  body.set("side", "1");
  body.set("image", new Blob([Buffer.from(base64_content, "base64")], { type: "image/png" }), "card.png");
  return body;
}

const add = (patient: number, body: object) =>
  call("POST", `patients/${patient}/policies`, { token: basics.token, body: { ...MARIA, ...body } });

describe("a policy that the user has not seen is not archived by one that takes its rank", () => {
  const SINCE_OPENED = "since you opened the page";

  test("a new policy and its preview are rejected if another policy took the rank since", async () => {
    const { id, path } = await seedInsuredPatient("enabled");
    await add(id, { rank: 1, member_id: "THEIRS" });
    const body = { ...MARIA, rank: 1, member_id: "MINE", rank_holder: null };
    for (const query of ["?dry_run=true", ""]) {
      const rejected = await staffCallAs(staff, "POST", `${path}/policies${query}`, { body });
      expect([rejected.status, rejected.body.code]).toEqual([412, "rank_holder_changed"]);
      expect(rejected.body.detail).toContain(`Another policy has taken this rank ${SINCE_OPENED}`);
    }
    expect(await activeByRank(id)).toEqual({ 1: "THEIRS" });
  });

  test("the policy that the user saw is replaced", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled", 1);
    const body = { ...MARIA, rank: 1, member_id: "MINE", rank_holder: { id: policies[0], version: 1 } };
    expect((await staffCallAs(staff, "POST", `${path}/policies`, { body })).status).toBe(201);
    expect(await activeByRank(id)).toEqual({ 1: "MINE" });
  });

  test("a write without the field takes the rank from its current policy, as for API clients", async () => {
    const { id, path } = await seedInsuredPatient("enabled", 1);
    const body = { ...MARIA, rank: 1, member_id: "MINE" };
    expect((await staffCallAs(staff, "POST", `${path}/policies`, { body })).status).toBe(201);
    expect(await activeByRank(id)).toEqual({ 1: "MINE" });
  });

  test("a policy moves to another rank only if the policy there is the one that the user saw, in that version", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled", 1, 2);
    const [first, second] = policies as [number, number];
    const { token } = basics;
    const seen = { id: first, version: 1 };
    const move = (rank_holder: object | null, query = "") =>
      staffCallAs(staff, "PUT", `${path}/policies/${second}${query}`, {
        body: { ...MARIA, member_id: "M2", rank: 1, rank_holder },
        headers: ifMatch(1),
      });
    await call("PATCH", `patients/${id}/policies/${first}`, { token, body: { member_id: "CHANGED" } });
    const changed = await move(seen);
    expect([changed.status, changed.body.code]).toEqual([412, "rank_holder_changed"]);
    expect(changed.body.detail).toContain(`The policy at this rank has changed ${SINCE_OPENED}`);
    expect((await move(seen, "?dry_run=true")).status).toBe(412);

    await call("DELETE", `patients/${id}/policies/${first}`, { token });
    expect((await move(seen)).body.detail).toContain(
      `The policy at this rank has been archived or moved ${SINCE_OPENED}`,
    );
    expect(await activeByRank(id)).toEqual({ 2: "M2" });
    expect((await move(null)).status).toBe(200);
    expect(await activeByRank(id)).toEqual({ 1: "M2" });
  });

  test("a policy that keeps its rank needs no field", async () => {
    const { path, policies } = await seedInsuredPatient("enabled", 1);
    const body = { ...MARIA, rank: 1, member_id: "M9", rank_holder: null };
    const kept = await staffCallAs(staff, "PUT", `${path}/policies/${policies[0]}`, { body, headers: ifMatch(1) });
    expect(kept.status).toBe(200);
  });

  test("a policy is restored to a chosen rank only if the policy there is the one that the user saw", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled", 1);
    const restore = (rank_holder: object | null, query = "") =>
      staffCallAs(staff, "POST", `${path}/policies/${policies[0]}/restore${query}`, {
        body: { rank: 2, rank_holder },
        headers: ifMatch(2),
      });
    await call("DELETE", `patients/${id}/policies/${policies[0]}`, { token: basics.token });
    const theirs = (await add(id, { rank: 2, member_id: "THEIRS" })).body;
    for (const query of ["?dry_run=true", ""]) {
      const rejected = await restore(null, query);
      expect([rejected.status, rejected.body.code]).toEqual([412, "rank_holder_changed"]);
    }
    expect(await activeByRank(id)).toEqual({ 2: "THEIRS" });
    expect((await restore({ id: theirs.id, version: theirs.version })).status).toBe(200);
    expect(await activeByRank(id)).toEqual({ 2: "M1" });
  });

  test("the API rejects the staff-only field as unknown", async () => {
    const { id } = await seedInsuredPatient("enabled");
    expect((await add(id, { rank: 1, rank_holder: null })).body).toEqual({ rank_holder: ["Unknown field."] });
  });
});

describe("If-Match", () => {
  /**
   * They name one record by their action and need no version: the first report or end stays, and a part of a file is the
   * same however often it is sent.
   */
  const FREE = ["staff.events.report", "staff.migrations.upload"];
  const changing = STAFF_ENDPOINTS.filter(({ method, declaration }) => {
    const replaces = /restore$|put_back$|put$|rotate_secret$|reset_password$/.test(declaration.name);
    return (method !== "GET" && method !== "POST") || replaces;
  });

  test.each(changing.map(({ method, path, declaration }) => [method, path, declaration] as const))(
    "is required by %s %s",
    async (method, path, { name, versioned, body, query }) => {
      expect(versioned ?? false).toBe(!FREE.includes(name));
      const admin = await signInAs("admin", [basics.enabled]);
      const url = `${pathOf(path, { practice: basics.enabled, rank: 1, note: randomUUID() })}${query && "rank" in query ? "?rank=1&side=1" : ""}`;
      const { status } = await staffCallAs(admin, method, url, { ...(body ? { body: {} } : {}), unversioned: true });
      if (!versioned) expect(status).not.toBe(428);
      // The body is validated first, and an empty one is often invalid.
      else expect(body ? [400, 428] : [428]).toContain(status);
    },
  );

  test("returns 428 if it is missing, and nothing is replaced or ended", async () => {
    const { path, policies, id } = await seedInsuredPatient("disabled", 1);
    const card = `${path}/legacy-cards`;
    const responses = await Promise.all([
      staffCallAs(staff, "PUT", `${path}/insurances`, { body: { insurances: [] }, unversioned: true }),
      staffCallAs(staff, "POST", card, { body: await cardForm(), unversioned: true }),
      staffCallAs(staff, "DELETE", `${card}?rank=1&side=1`, { unversioned: true }),
      staffCallAs(staff, "DELETE", `${path}/policies/${policies[0]}`, { unversioned: true }),
    ]);
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(Array(4).fill([428, "version_required"]));
    expect(await activeByRank(id)).toEqual({ 1: "M1" });
  });

  test("names the patient's version to add and remove cards, and the response has the next version", async () => {
    const { path } = await seedInsuredPatient("disabled", 1);
    const { version } = (await staffCallAs(staff, "GET", path)).body.patient;
    const put = await staffCallAs(staff, "POST", `${path}/legacy-cards`, {
      body: await cardForm(),
      headers: ifMatch(version),
    });
    expect([put.status, put.body]).toEqual([
      201,
      { version: version + 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const stale = { headers: ifMatch(version) };
    const again = await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: await cardForm(), ...stale });
    const removed = await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=1`, stale);
    expect([again.status, removed.status]).toEqual([412, 412]);
    expect((await staffCallAs(staff, "GET", path)).body.cards).toHaveLength(1);

    const next = { headers: ifMatch(version + 1) };
    const right = await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=1`, next);
    expect([right.status, right.body]).toEqual([200, { version: version + 2 }]);
    expect((await staffCallAs(staff, "GET", path)).body.patient.version).toBe(version + 2);
  });
});

describe("a switch of Insurance Versioning while a legacy write waits", () => {
  const turn = (enabled: boolean) =>
    transaction((tx) =>
      tx.run(sql`UPDATE practice SET insurance_versioning_enabled = ${enabled} WHERE id = ${basics.disabled}`),
    );

  test.each([
    ["PUT", "insurances", { insurances: [] }],
    ["DELETE", "legacy-cards?rank=1&side=1", undefined],
  ])("%s %s is rejected instead of following the other setting's rule", async (method, rest, body) => {
    const { id, path } = await seedInsuredPatient("disabled", 1);
    await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: await cardForm() });
    const before = (await staffCallAs(staff, "GET", path)).body;
    expect(before.cards).toHaveLength(1);
    // Lock the patient, so that the write has started and waits in its transaction.
    const { rejected } = await transaction(async (tx) => {
      await tx.run(sql`SELECT 1 FROM patient WHERE id = ${id} FOR UPDATE`);
      const waiting = staffCallAs(staff, method, `${path}/${rest}`, { body });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await turn(true);
      return { rejected: waiting };
    });
    const { status, body: response } = await rejected;
    await turn(false);
    expect([status, response.code]).toEqual([409, "versioning_enabled"]);
    const after = (await staffCallAs(staff, "GET", path)).body;
    expect([after.patient.version, after.insurances]).toEqual([before.patient.version, before.insurances]);
    expect(after.cards).toHaveLength(1);
  });
});
