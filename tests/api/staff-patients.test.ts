// The patient's page: what it shows by role and practice, the order of policies, the legacy form and cards, the timeline.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let staff: SignedIn;
let viewer: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  const own = [basics.enabled, basics.disabled];
  staff = await signInAs("staff", own);
  viewer = await signInAs("viewer", own);
});

interface PolicyDto {
  id: number;
  rank: number | null;
  version: number;
}

/** Creates a patient with a primary and a secondary policy; returns where its page's calls go. */
async function seedInsuredPatient(practice: "enabled" | "disabled") {
  const id = await seedPatient(basics[practice], basics.physicians[practice]);
  const policies: number[] = [];
  for (const [rank, carrier] of [
    [1, "Acme Health"],
    [2, "Harbor Mutual"],
  ]) {
    const body = { ...MARIA, rank, carrier, member_id: `M${rank}` };
    const { body: policy } = await call("POST", `patients/${id}/policies`, { token: basics.token, body });
    policies.push(policy.id);
  }
  return { id, policies, path: `practices/${basics[practice]}/patients/${id}` };
}

async function auditedReads(patient: number): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM audit_log WHERE operation LIKE 'staff.patients.%' AND ${patient} = ANY(patients)`,
  );
  return row?.count ?? 0;
}

async function setPractice(id: number, change: { mode: "announce" | "enforce" }): Promise<void> {
  await db.run(
    sql`UPDATE practice SET deprecation_mode = ${change.mode}, deprecation_date = '2025-10-31' WHERE id = ${id}`,
  );
}

describe("the patient's page", () => {
  test("shows policies by rank next to the legacy records, also to viewers", async () => {
    const { path, policies } = await seedInsuredPatient("enabled");
    const { status, body } = await staffCallAs(viewer, "GET", path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ versioning: true, patient: { first_name: "Maria", dob: "1980-05-17" } });
    expect(body.policies.map(({ id, rank }: { id: number; rank: number }) => [id, rank])).toEqual([
      [policies[0], 1],
      [policies[1], 2],
    ]);
    expect(body.insurances.map(({ rank }: { rank: string }) => rank)).toEqual(["primary", "secondary"]);
  });

  test("shows archived policies with actor and reason", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled");
    const headers = { "x-change-reason": "Coverage ended" };
    await call("DELETE", `patients/${id}/policies/${policies[1]}`, { token: basics.token, headers });
    const { body } = await staffCallAs(viewer, "GET", path);
    expect(body.policies[1]).toMatchObject({
      status: "archived",
      archival: { reason: "Coverage ended", by: "Test client" },
    });
  });

  test("has links to card images that need no session", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled");
    const body = { image: await imageContent(1) };
    await call("POST", `patients/${id}/policies/${policies[0]}/card-images`, { token: basics.token, body });
    const { body: page } = await staffCallAs(viewer, "GET", path);
    const { url } = page.policies[0].card_images[0];
    expect(url).toMatch(/^\/api\/2\.0\/card_images\//);
    expect((await call("GET", url)).status).toBe(200);
    expect(page.cards).toMatchObject([{ rank: 1, image_rank: 1 }]);
  });

  test("looks absent to another practice", async () => {
    const other = await seedPatient(basics.foreign, basics.physicians.foreign);
    const here = await seedInsuredPatient("disabled");
    for (const path of [
      `practices/${basics.foreign}/patients/${other}`,
      `practices/${basics.enabled}/patients/${other}`,
      `practices/${basics.enabled}/patients/${here.id}`,
    ]) {
      for (const part of ["", "/state", "/timeline"]) {
        expect((await staffCallAs(staff, "GET", path + part)).status).toBe(404);
      }
    }
  });

  test("is audited each time; polling for changes is not, because it reveals nothing", async () => {
    const { id, path } = await seedInsuredPatient("enabled");
    await staffCallAs(viewer, "GET", path);
    await staffCallAs(viewer, "GET", `${path}/timeline`);
    expect(await auditedReads(id)).toBe(2);
    const { body } = await staffCallAs(viewer, "GET", `${path}/state`);
    expect(Object.keys(body).sort()).toEqual(["deprecation", "stamp", "versioning"]);
    expect(await auditedReads(id)).toBe(2);
  });

  test("has a new stamp after any change to the record or its policies", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled");
    const stamp = async () => (await staffCallAs(viewer, "GET", `${path}/state`)).body.stamp;
    const stamps = [await stamp()];
    const { token } = basics;
    await call("PATCH", `patients/${id}/policies/${policies[0]}`, { token, body: { member_id: "M9" } });
    stamps.push(await stamp());
    await call("PATCH", `patients/${id}`, { token, body: { sex: "Other" } });
    stamps.push(await stamp());
    await call("DELETE", `patients/${id}/policies/${policies[1]}`, { token });
    stamps.push(await stamp());
    await call("DELETE", `patients/${id}/policies/${policies[1]}?permanent=true`, { token });
    stamps.push(await stamp());
    expect(new Set(stamps).size).toBe(stamps.length);
    expect((await staffCallAs(viewer, "GET", path)).body.stamp).toBe(stamps.at(-1));
  });
});

describe("the order of the policies", () => {
  test("is previewed without a change, then saved for the signed-in user", async () => {
    const { path, policies, id } = await seedInsuredPatient("enabled");
    const body = [
      { id: policies[1], rank: 1, version: 1 },
      { id: policies[0], rank: 2, version: 1 },
    ];
    const preview = await staffCallAs(staff, "POST", `${path}/policies/reorder?dry_run=true`, { body });
    expect(preview.status).toBe(200);
    expect(
      preview.body.effects.map(({ policy, rank }: { policy: number; rank: number }) => [policy, rank]).sort(),
    ).toEqual([
      [policies[0], 2],
      [policies[1], 1],
    ]);
    expect((await staffCallAs(staff, "GET", path)).body.policies[0].id).toBe(policies[0]);

    expect((await staffCallAs(staff, "POST", `${path}/policies/reorder`, { body })).status).toBe(200);
    const after = await call("GET", `patients/${id}/policies`, { token: basics.token });
    expect(after.body.results.map((policy: { id: number }) => policy.id)).toEqual([policies[1], policies[0]]);
    const versions = await call("GET", `patients/${id}/policies/${policies[0]}/versions`, { token: basics.token });
    expect(versions.body.results.at(-1)).toMatchObject({ source: "staff", actor: { type: "staff", id: staff.userId } });
  });

  test.each([
    ["changed", "PATCH", "/0", { member_id: "M9" }],
    ["added", "POST", "", { ...MARIA, rank: 3, carrier: "Third Party" }],
    ["archived", "DELETE", "/1", undefined],
  ])("is rejected, as is its preview, if a policy was %s since it was read", async (_what, method, rest, change) => {
    const { id, path, policies } = await seedInsuredPatient("enabled");
    const body = (await staffCallAs(staff, "GET", path)).body.policies.map((seen: PolicyDto) => ({
      id: seen.id,
      rank: 3 - (seen.rank ?? 0),
      version: seen.version,
    }));
    const target = rest.replace(/\d/, (at) => String(policies[Number(at)]));
    const { token } = basics;
    const changed = await call(method, `patients/${id}/policies${target}`, { token, body: change });
    expect(changed.status).toBeLessThan(300);
    const before = (await staffCallAs(staff, "GET", path)).body;
    for (const query of ["?dry_run=true", ""]) {
      const response = await staffCallAs(staff, "POST", `${path}/policies/reorder${query}`, { body });
      expect([response.status, response.body.code]).toEqual([412, "version_conflict"]);
      expect(response.body.detail).toContain("have changed since you opened the page");
    }
    expect((await staffCallAs(staff, "GET", path)).body).toMatchObject({ stamp: before.stamp });
  });

  test("is rejected if it omits a policy or the versions that the user saw", async () => {
    const { path, policies } = await seedInsuredPatient("enabled");
    const send = (body: object[]) => staffCallAs(staff, "POST", `${path}/policies/reorder`, { body });
    expect((await send([{ id: policies[0], rank: 3, version: 1 }])).status).toBe(412);
    expect((await send([{ id: policies[0], rank: 3 }])).status).toBe(400);
  });

  test("is undone with the versions that the save returned", async () => {
    const { path, policies } = await seedInsuredPatient("enabled");
    const [first, second] = policies as [number, number];
    const send = (body: object[]) => staffCallAs(staff, "POST", `${path}/policies/reorder`, { body });
    const { body: saved } = await send([
      { id: second, rank: 1, version: 1 },
      { id: first, rank: 2, version: 1 },
    ]);
    const version = (id: number) => saved.find((policy: PolicyDto) => policy.id === id).version;
    const back = [
      { id: first, rank: 1, version: version(first) },
      { id: second, rank: 2, version: version(second) },
    ];
    expect((await send(back)).status).toBe(200);
    expect((await send(back)).status).toBe(412);
  });

  test("can't be changed by viewers", async () => {
    const { path, policies } = await seedInsuredPatient("enabled");
    const body = [{ id: policies[0], rank: 3, version: 1 }];
    expect((await staffCallAs(viewer, "POST", `${path}/policies/reorder`, { body })).status).toBe(403);
  });
});

describe("the legacy form", () => {
  const entry = (rank: string, carrier: string) => ({ rank, carrier });

  test("replaces all insurances, after a preview that changes nothing", async () => {
    const { path, policies } = await seedInsuredPatient("disabled");
    const { body: page } = await staffCallAs(staff, "GET", path);
    const headers = { "if-match": `"${page.patient.version}"`, "x-change-reason": "New card" };
    const body = { insurances: [{ ...page.insurances[0], member_id: "NEW" }] };
    const preview = await staffCallAs(staff, "PUT", `${path}/insurances?dry_run=true`, { body, headers });
    const kinds = preview.body.effects.map(({ kind }: { kind: string }) => kind).sort();
    expect(kinds).toEqual(["archived", "archived", "created"]);
    expect((await staffCallAs(staff, "GET", path)).body.patient.version).toBe(page.patient.version);

    expect((await staffCallAs(staff, "PUT", `${path}/insurances`, { body, headers })).status).toBe(200);
    const { body: after } = await staffCallAs(staff, "GET", path);
    expect(after.insurances).toHaveLength(1);
    expect(after.insurances[0]).toMatchObject({ rank: "primary", member_id: "NEW", carrier: "Acme Health" });
    expect(after.insurances[0].id).not.toBe(page.insurances[0].id);
    expect(after.policies.find(({ id }: { id: number }) => id === policies[0]).archival.reason).toBe("New card");
  });

  test("is rejected if it is based on an older version, and nothing changes", async () => {
    const { path } = await seedInsuredPatient("disabled");
    const { body: page } = await staffCallAs(staff, "GET", path);
    const headers = { "if-match": `"${page.patient.version}"` };
    const body = { insurances: [entry("primary", "First")] };
    expect((await staffCallAs(staff, "PUT", `${path}/insurances`, { body, headers })).status).toBe(200);
    const stale = { insurances: [entry("primary", "Second")] };
    const rejected = await staffCallAs(staff, "PUT", `${path}/insurances`, { body: stale, headers });
    expect([rejected.status, rejected.body.code]).toEqual([412, "version_conflict"]);
    expect((await staffCallAs(staff, "GET", path)).body.insurances[0].carrier).toBe("First");
  });

  test("names the wrong field of an insurance", async () => {
    const { path } = await seedInsuredPatient("disabled");
    const wrong = { ...entry("secondary", "Acme"), start_date: "2026-02-01", end_date: "2026-01-01" };
    const body = { insurances: [entry("primary", "Acme"), wrong] };
    const { status, body: problems } = await staffCallAs(staff, "PUT", `${path}/insurances?dry_run=true`, { body });
    expect([status, problems]).toEqual([400, { insurances: [{}, { end_date: [expect.any(String)] }] }]);
  });

  test("is rejected with Insurance Versioning enabled, which would change its effect", async () => {
    const { path } = await seedInsuredPatient("enabled");
    const rejected = await staffCallAs(staff, "PUT", `${path}/insurances`, { body: { insurances: [] } });
    expect([rejected.status, rejected.body.code]).toEqual([409, "versioning_enabled"]);
  });

  test("can't be used by viewers", async () => {
    const { path } = await seedInsuredPatient("disabled");
    expect((await staffCallAs(viewer, "PUT", `${path}/insurances`, { body: { insurances: [] } })).status).toBe(403);
  });

  test("ends with the enforced deadline: nothing is shown or saved", async () => {
    const { path } = await seedInsuredPatient("disabled");
    await setPractice(basics.disabled, { mode: "enforce" });
    const { body: page } = await staffCallAs(staff, "GET", path);
    const write = await staffCallAs(staff, "PUT", `${path}/insurances`, { body: { insurances: [] } });
    const card = await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=1`);
    await setPractice(basics.disabled, { mode: "announce" });
    expect(page).toMatchObject({ insurances: null, cards: [], deprecation: { ended: true } });
    expect([write.status, write.body.code]).toEqual([422, "legacy_insurances_deprecated"]);
    expect(card.status).toBe(422);
  });
});

describe("cards by rank", () => {
  async function form(rank: number, side: number): Promise<FormData> {
    const { base64_content } = await imageContent(1);
    const body = new FormData();
    body.set("rank", String(rank));
    body.set("side", String(side));
    body.set("image", new Blob([Buffer.from(base64_content, "base64")], { type: "image/png" }), "card.png");
    return body;
  }

  test("are added and removed by rank and side", async () => {
    const { path, policies, id } = await seedInsuredPatient("disabled");
    expect((await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: await form(1, 2) })).status).toBe(201);
    const { body: page } = await staffCallAs(viewer, "GET", path);
    expect(page.cards).toMatchObject([{ rank: 1, image_rank: 2 }]);
    const policy = await call("GET", `patients/${id}/policies/${policies[0]}`, { token: basics.token });
    expect(policy.body.card_images).toMatchObject([{ image_rank: 2 }]);

    expect((await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=2`)).status).toBe(200);
    expect((await staffCallAs(viewer, "GET", path)).body.cards).toEqual([]);
    expect((await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=2`)).status).toBe(404);
  });

  test("are rejected without an image or for an unknown rank or side", async () => {
    const { path } = await seedInsuredPatient("disabled");
    const text = await form(1, 1);
    text.set("image", new Blob(["hello"], { type: "image/png" }), "card.png");
    expect((await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: text })).body).toHaveProperty("image");
    expect((await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: await form(4, 1) })).status).toBe(400);
  });

  test("require a policy with Insurance Versioning enabled", async () => {
    const { path } = await seedInsuredPatient("enabled");
    const rejected = await staffCallAs(staff, "POST", `${path}/legacy-cards`, { body: await form(1, 1) });
    expect([rejected.status, rejected.body.code]).toEqual([422, "policy_id_required"]);
    expect((await staffCallAs(staff, "DELETE", `${path}/legacy-cards?rank=1&side=1`)).status).toBe(409);
  });
});

describe("the timeline", () => {
  interface Entry {
    type: string;
    kind: string;
    id: number;
    version: number;
    occurred_date: string;
    request_id: string | null;
    fields: string[];
    change: { old: unknown; new: unknown } | null;
  }

  test("contains the versions and deletions of the record and its policies, newest first, each once over all pages", async () => {
    const { id, path, policies } = await seedInsuredPatient("enabled");
    const { token } = basics;
    await call("PATCH", `patients/${id}/policies/${policies[0]}`, { token, body: { member_id: "M9" } });
    await call("PATCH", `patients/${id}/policies/${policies[0]}`, {
      token,
      body: { insured_person_ssn: "123-45-6789" },
    });
    await call("DELETE", `patients/${id}/policies/${policies[1]}`, { token });
    await call("DELETE", `patients/${id}/policies/${policies[1]}?permanent=true`, { token });
    const whole = (await staffCallAs(viewer, "GET", `${path}/timeline?limit=100`)).body.results as Entry[];
    const times = whole.map(({ occurred_date }) => Date.parse(occurred_date));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(whole.some(({ type, kind }) => type === "removal" && kind === "removed")).toBe(true);
    const [secret, member] = whole.filter(({ type, kind }) => type === "policy" && kind === "updated") as [
      Entry,
      Entry,
    ];
    expect(member).toMatchObject({ fields: ["member_id"], change: { old: "M1", new: "M9" } });
    expect(secret).toMatchObject({ fields: ["insured_person_ssn"], change: null });

    const paged: Entry[] = [];
    let query = "?limit=2";
    for (;;) {
      const { body } = await staffCallAs(viewer, "GET", `${path}/timeline${query}`);
      paged.push(...body.results);
      if (body.next === null) break;
      query = `?limit=2&after=${encodeURIComponent(body.next)}`;
    }
    const keys = (entries: Entry[]) => entries.map(({ type, id, version }) => `${type} ${id} ${version}`);
    expect(keys(paged)).toEqual(keys(whole));
  });

  test("joins what one request changed in both stores by the request ID", async () => {
    const { path } = await seedInsuredPatient("enabled");
    const { results } = (await staffCallAs(viewer, "GET", `${path}/timeline`)).body as { results: Entry[] };
    const policy = results.find(({ type }) => type === "policy");
    expect(
      results
        .filter(({ request_id }) => request_id === policy?.request_id)
        .map(({ type }) => type)
        .sort(),
    ).toEqual(["patient", "policy"]);
  });

  test("rejects an invalid position", async () => {
    const { path } = await seedInsuredPatient("enabled");
    for (const after of ["x", "2026-13-45T99:99:99.000Z~policy~1~1", "2026-01-01T00:00:00.000Z~policy~1"]) {
      expect((await staffCallAs(viewer, "GET", `${path}/timeline?after=${encodeURIComponent(after)}`)).status).toBe(
        400,
      );
    }
  });
});
