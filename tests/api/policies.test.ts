// Policies over HTTP, by status.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { owner } from "@/tests/support/owner";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "../support/api";
import { imageContent, pngImage } from "../support/images";
import { expectStoresAgree } from "../support/stores";

let basics: Basics;
let patient: number;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

const at = (id: number | string = "") => `patients/${patient}/policies${id === "" ? "" : `/${id}`}`;
const post = (body: object, path = at()) => call("POST", path, { token, body });
const create = async (fields: object = {}) => (await post({ ...MARIA, rank: 1, member_id: "A1", ...fields })).body;

describe("201", () => {
  test("a policy has every field of its response, a Location and an ETag", async () => {
    const response = await post({ ...MARIA, rank: 2, copay: "20", deductible: "-0.5", start_date: "2024-02-29" });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ rank: 2, copay: "20.00", deductible: "-0.50", start_date: "2024-02-29" });
    expect(new URL(response.headers.get("location") ?? "").pathname).toBe(`/api/2.0/${at(response.body.id)}`);
    expect(response.headers.get("etag")).toBe('"1"');
  });

  test("names match regardless of case, accents and outer spaces; the record's spelling is stored", async () => {
    const response = await post({
      patient_first_name: " MARÍA ",
      patient_last_name: "lópez",
      patient_dob: MARIA.patient_dob,
    });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject(MARIA);
    const other = await seedPatient(basics.enabled, basics.physicians.enabled, "Maria Straße");
    const capitals = { ...MARIA, patient_last_name: "STRASSE" };
    expect((await post(capitals, `patients/${other}/policies`)).status).toBe(201);
  });

  test("a policy at an occupied rank archives the previous one as superseded, which keeps its images", async () => {
    const old = await create();
    await post({ image: await imageContent(1) }, at(`${old.id}/card-images`));
    await create({ member_id: "A2" });
    const superseded = (await call("GET", at(old.id), { token })).body;
    expect(superseded).toMatchObject({
      status: "archived",
      archive_reason: "superseded",
      card_images: [{ image_rank: 1 }],
    });
    const [image] = (await call("GET", at(`${old.id}/card-images`), { token })).body;
    expect((await call("GET", image.url)).status).toBe(200);
    await expectStoresAgree(patient);
  });

  test("a card image as JSON or as a form takes the next free rank or replaces the named image, which stays readable", async () => {
    const { id } = await create();
    const path = at(`${id}/card-images`);
    const front = await post({ image: await imageContent(1) }, path);
    expect(front.status).toBe(201);
    expect(front.body).toMatchObject({ image_rank: 1, content_type: "image/png", width: 32, height: 20 });
    const form = new FormData();
    form.set("image", new Blob([new Uint8Array(await pngImage(2))]), "back.jpeg");
    const back = await call("POST", path, { token, body: form });
    expect(back.body).toMatchObject({ image_rank: 2, content_type: "image/png" });
    const replaced = await post({ image: await imageContent(3), image_rank: 1 }, path);
    expect(replaced.body).toMatchObject({ image_rank: 1 });
    expect(replaced.body.sha256).not.toBe(front.body.sha256);
    const then = (await call("GET", at(`${id}/versions/2`), { token })).body.policy.card_images[0];
    expect(then.sha256).toBe(front.body.sha256);
    expect((await call("GET", then.url)).status).toBe(200);
    await expectStoresAgree(patient);
  });
});

describe("200", () => {
  test("PUT sets the given fields, null clears, omitted fields stay; without a change there is no new version", async () => {
    const { id } = await create({ group_id: "G1", plan: "Gold" });
    const put = await call("PUT", at(id), { token, body: { ...MARIA, group_id: null, plan: "Silver" } });
    expect(put.body).toMatchObject({ group_id: null, plan: "Silver", member_id: "A1", version: 2 });
    const again = await call("PUT", at(id), { token, body: { ...MARIA, plan: "Silver" } });
    expect(again.body.version).toBe(2);
    const patch = await call("PATCH", at(id), { token, body: { plan: "Bronze" } });
    expect([patch.status, patch.body.version]).toEqual([200, 3]);
  });

  test("a policy sent back unchanged changes nothing", async () => {
    const created = await create();
    const put = await call("PUT", at(created.id), { token, body: created });
    expect([put.status, put.body]).toEqual([200, created]);
  });

  test("the list has active policies by rank, unranked last, then archived ones newest first; filtered by status and rank", async () => {
    const first = await create({ member_id: "old1" });
    const second = await create({ member_id: "old2" });
    await create({ rank: null, member_id: "unranked" });
    await create({ rank: 3, member_id: "third" });
    await create({ rank: 1, member_id: "now" });
    const list = async (query = "") =>
      (await call("GET", `${at()}${query}`, { token })).body.results.map((p: { member_id: string }) => p.member_id);
    expect(await list()).toEqual(["now", "third", "unranked", "old2", "old1"]);
    expect(await list("?status=archived")).toEqual(["old2", "old1"]);
    expect(await list("?rank=1&status=active")).toEqual(["now"]);
    expect(first.id).toBeLessThan(second.id);
  });

  test.each(["", `as_of=${new Date(Date.now() + 3_600_000).toISOString()}&`])(
    "order_by accepts fields of a policy, with pages (%s)",
    async (query) => {
      const created = [(await create({ rank: 2 })).id, (await create({ rank: 1 })).id, (await create({ rank: 3 })).id];
      const walk = async (order: string) => {
        const ids: number[] = [];
        let next: string | null = `${at()}?${query}order_by=${order}&limit=2`;
        while (next) {
          const { body } = await call("GET", next, { token });
          ids.push(...body.results.map(({ id }: { id: number }) => id));
          next = body.next;
        }
        return ids;
      };
      expect(await walk("created_date")).toEqual(created);
      expect(await walk("-id")).toEqual(created.toReversed());
      expect((await call("GET", `${at()}?order_by=position`, { token })).body).toEqual({
        order_by: ["Must be one of id, -id, created_date, -created_date."],
      });
    },
  );

  test("as_of returns the policies at that time", async () => {
    const { id } = await create();
    const start = Date.now() + 600_000;
    try {
      setClock({ now: () => new Date(start) });
      await call("PATCH", at(id), { token, body: { member_id: "A2" } });
      setClock({ now: () => new Date(start + 60_000) });
      await call("DELETE", at(id), { token });
    } finally {
      setClock();
    }
    const then = async (ms: number) => {
      const time = new Date(ms).toISOString();
      return (await call("GET", `${at()}?as_of=${time}`, { token })).body.results;
    };
    expect(await then(start - 1000)).toMatchObject([{ member_id: "A1", status: "active", version: 1 }]);
    expect(await then(start + 30_000)).toMatchObject([{ member_id: "A2", status: "active", version: 2 }]);
    expect(await then(start + 120_000)).toMatchObject([{ status: "archived", version: 3 }]);
    expect(await then(start - 86_400_000)).toEqual([]);
  });

  test("versions have number, kind, changes, actor, source, reason and time", async () => {
    const { id } = await create();
    const headers = { "x-change-reason": "Typo in the card" };
    await call("PATCH", at(id), { token, body: { member_id: "A2" }, headers });
    const { results } = (await call("GET", at(`${id}/versions`), { token })).body;
    expect(results.map(({ kind }: { kind: string }) => kind)).toEqual(["created", "updated"]);
    expect(results[1]).toMatchObject({
      version: 2,
      changes: { member_id: { old: "A1", new: "A2" } },
      actor: { type: "client", name: "Test client" },
      source: "policies_api",
      reason: "Typo in the card",
    });
    expect(Object.keys(results[1].changes)).toEqual(["member_id"]);
    for (const order of ["-version", "-id", "version", "id"]) {
      const first = await call("GET", at(`${id}/versions?order_by=${order}&limit=1`), { token });
      const second = await call("GET", first.body.next, { token });
      const listed = [first, second].flatMap(({ body }) => body.results.map((row: { version: number }) => row.version));
      expect([order, listed, second.body.next]).toEqual([order, order.startsWith("-") ? [2, 1] : [1, 2], null]);
    }
  });

  test("a version that waited for the patient is recorded when it is written, after it occurred", async () => {
    const { id } = await create();
    const { waiting } = await transaction(async (tx) => {
      await tx.run(sql`SELECT FROM patient WHERE id = ${patient} FOR UPDATE`);
      const waiting = call("PATCH", at(id), { token, body: { member_id: "A2" } });
      return new Promise<{ waiting: typeof waiting }>((resolve) => setTimeout(resolve, 300, { waiting }));
    });
    expect((await waiting).status).toBe(200);
    const { occurred_date, recorded_date } = (await call("GET", at(`${id}/versions/2`), { token })).body;
    expect(Date.parse(recorded_date)).toBeGreaterThanOrEqual(Date.parse(occurred_date));
    const defaults = await db.rows(sql`
      SELECT DISTINCT column_default FROM information_schema.columns WHERE column_name = 'recorded_date'`);
    expect(defaults).toEqual([{ column_default: "statement_timestamp()" }]);
  });

  test("restore reactivates a policy if its rank is free; reorder swaps ranks", async () => {
    const a = await create();
    const b = await create({ rank: 2, member_id: "B1" });
    await call("DELETE", at(a.id), { token });
    const restored = await call("POST", at(`${a.id}/restore`), { token });
    expect(restored.body).toMatchObject({ status: "active", rank: 1, archived_date: null, archive_reason: null });
    const swapped = await post(
      [
        { id: a.id, rank: 2 },
        { id: b.id, rank: 1 },
      ] as unknown as object,
      at("reorder"),
    );
    expect(swapped.body.map(({ id }: { id: number }) => id)).toEqual([b.id, a.id]);
    await expectStoresAgree(patient);
  });

  test("dry runs report the effects and write nothing", async () => {
    const a = await create();
    const before = await db.rows(sql`SELECT * FROM policy_version`);
    const dry = await call("POST", `${at()}?dry_run=true`, { token, body: { ...MARIA, rank: 1, member_id: "A2" } });
    expect(dry.status).toBe(200);
    expect(dry.body.effects).toMatchObject([
      { kind: "archived", policy: a.id, rank: 1 },
      { kind: "created", rank: 1 },
    ]);
    expect(dry.body.result).toMatchObject({ member_id: "A2", status: "active" });
    expect(await db.rows(sql`SELECT * FROM policy_version`)).toEqual(before);
  });
});

describe("204 and 410", () => {
  test("DELETE ?permanent=true removes an archived policy with its history, legacy record and images; the actor stays on record", async () => {
    const { id, patient_insurance } = await create();
    const image = (await post({ image: await imageContent(1) }, at(`${id}/card-images`))).body;
    await call("DELETE", at(id), { token });
    const gone = await call("DELETE", `${at(id)}?permanent=true`, {
      token,
      headers: { "x-change-reason": "Wrong patient" },
    });
    expect(gone.status).toBe(204);
    for (const [method, path] of [
      ["GET", at(id)],
      ["GET", at(`${id}/versions`)],
      ["GET", at(`${id}/card-images`)],
      ["DELETE", at(id)],
      ["DELETE", `${at(id)}?permanent=true`],
    ] as const) {
      expect((await call(method, path, { token })).status, `${method} ${path}`).toBe(410);
    }
    expect((await call("PUT", at(id), { token, body: MARIA })).status).toBe(410);
    expect((await call("GET", image.url)).status).toBe(404);
    expect(await db.rows(sql`SELECT 1 FROM patient_insurance WHERE id = ${patient_insurance}`)).toEqual([]);
    const remembered = await db.rows(
      sql`SELECT 1 FROM replication_event WHERE changes::text LIKE '%A1%' AND patient_id = ${patient}`,
    );
    expect(remembered).toEqual([]);
    const tombstone = await db.first(sql`SELECT actor, reason FROM policy_tombstone WHERE policy_id = ${id}`);
    expect(tombstone).toMatchObject({ actor: { name: "Test client" }, reason: "Wrong patient" });
    await expectStoresAgree(patient);
  });

  test("an image that moved to another policy earlier stays with that policy", async () => {
    const { id } = await create();
    await post({ image: await imageContent(1) }, at(`${id}/card-images`));
    await call("PATCH", `patients/${patient}`, { token, body: { insurances: [{ rank: "primary", member_id: "B1" }] } });
    await call("DELETE", `${at(id)}?permanent=true`, { token });
    const [now] = (await call("GET", `${at()}?status=active`, { token })).body.results;
    const [image] = (await call("GET", at(`${now.id}/card-images`), { token })).body;
    expect((await call("GET", image.url)).status).toBe(200);
    await expectStoresAgree(patient);
  });
});

describe("400", () => {
  test("each invalid field is named", async () => {
    const response = await post({ rank: 4, copay: "1.234", start_date: "2023-02-29", state: "MASS", colour: "red" });
    expect(response.status).toBe(400);
    expect(Object.keys(response.body).sort()).toEqual(
      [
        "colour",
        "copay",
        "patient_dob",
        "patient_first_name",
        "patient_last_name",
        "rank",
        "start_date",
        "state",
      ].sort(),
    );
  });

  test("an end before the start is rejected, even if only one of the two is sent", async () => {
    const { id } = await create({ start_date: "2024-05-01" });
    const patch = await call("PATCH", at(id), { token, body: { end_date: "2024-04-30" } });
    expect([patch.status, patch.body]).toEqual([400, { end_date: ["Must not be before start_date."] }]);
    await expectStoresAgree(patient);
  });

  test("a company or plan of another practice, or a plan of another company, is rejected", async () => {
    const own = await seedCompany(basics.enabled);
    const other = await seedCompany(basics.enabled, "Other Health");
    const foreign = await seedCompany(basics.foreign);
    const plan = await seedPlan(basics.enabled, other);
    expect((await post({ ...MARIA, insurance_company: foreign })).body).toHaveProperty("insurance_company");
    expect((await post({ ...MARIA, insurance_company: own, insurance_plan: plan })).body).toHaveProperty(
      "insurance_plan",
    );
    expect((await post({ ...MARIA, insurance_company: other, insurance_plan: plan })).status).toBe(201);
  });
});

describe("409, 412 and 422", () => {
  test("an archived policy can't be updated, an active one can't be removed, and a restore can't take an occupied rank", async () => {
    const { id } = await create();
    expect((await call("DELETE", `${at(id)}?permanent=true`, { token })).body.code).toBe("policy_active");
    await create({ member_id: "A2" });
    expect((await call("PUT", at(id), { token, body: MARIA })).body.code).toBe("policy_archived");
    expect((await post({ image: await imageContent(1) }, at(`${id}/card-images`))).body.code).toBe("policy_archived");
    expect((await call("POST", at(`${id}/restore`), { token })).body.code).toBe("rank_taken");
    await expectStoresAgree(patient);
  });

  test("If-Match is rejected where it could not be checked: reordering, and a policy that archives another", async () => {
    const { id } = await create();
    const headers = { "if-match": '"1"' };
    const writes: [string, object][] = [
      [at("reorder"), [{ id, rank: 2 }]],
      [at(), { ...MARIA, rank: 1 }],
    ];
    for (const [path, sent] of writes) {
      const { status, body } = await call("POST", path, { token, body: sent, headers });
      expect([path, status, body.code]).toEqual([path, 400, "if_match_not_offered"]);
    }
    expect((await call("GET", at(id), { token })).body).toMatchObject({ status: "active", rank: 1 });
  });

  test("reorder to a rank of an unlisted policy changes nothing", async () => {
    const a = await create();
    const held = await create({ rank: 2, member_id: "B1" });
    const response = await post([{ id: a.id, rank: 2 }] as unknown as object, at("reorder"));
    const detail = `Policy ${held.id} already has rank 2. Move or archive that policy first.`;
    expect([response.status, response.body]).toEqual([409, { detail, code: "rank_taken" }]);
    await expectStoresAgree(patient);
  });

  test("a stale If-Match writes nothing", async () => {
    const { id } = await create();
    await call("PATCH", at(id), { token, body: { plan: "Gold" } });
    const headers = { "if-match": '"1"' };
    for (const [method, body] of [
      ["PUT", { ...MARIA, plan: "Tin" }],
      ["PATCH", { plan: "Tin" }],
      ["DELETE", undefined],
    ] as const) {
      expect((await call(method, at(id), { token, body, headers })).status).toBe(412);
    }
    expect((await call("GET", at(id), { token })).body).toMatchObject({ plan: "Gold", version: 2, status: "active" });
  });

  test("another patient's identity is rejected without revealing the record", async () => {
    const response = await post({ ...MARIA, patient_last_name: "Nguyen", patient_dob: "1999-01-01" });
    expect([response.status, response.body.code]).toEqual([422, "patient_mismatch"]);
    expect(JSON.stringify(response.body)).not.toContain("Lopez");
  });
});

describe("404", () => {
  test("a policy of another patient, of another organization, or of a deleted patient looks absent", async () => {
    const { id } = await create();
    const other = await seedPatient(basics.enabled, basics.physicians.enabled);
    expect((await call("GET", `patients/${other}/policies/${id}`, { token })).status).toBe(404);
    expect((await call("GET", at(id), { token: basics.stranger })).status).toBe(404);
    await call("DELETE", `patients/${patient}`, { token });
    for (const path of [at(), at(id), at(`${id}/versions`), at(`${id}/card-images`)]) {
      expect((await call("GET", path, { token })).status, path).toBe(404);
    }
  });

  test("an image link that was changed or has expired is rejected", async () => {
    const { id } = await create();
    const { url } = (await post({ image: await imageContent(1) }, at(`${id}/card-images`))).body;
    expect((await call("GET", url)).status).toBe(200);
    expect((await call("GET", url.replace(/expires=\d/, "expires=9"))).status).toBe(404);
    try {
      setClock({ now: () => new Date(Date.now() + 301_000) });
      expect((await call("GET", url)).status).toBe(404);
    } finally {
      setClock();
    }
  });
});

test("history is append-only in the database, even for the owner of the tables", async () => {
  const { id } = await create();
  for (const statement of [
    sql`UPDATE policy_version SET reason = 'x' WHERE policy_id = ${id}`,
    sql`DELETE FROM policy_version WHERE policy_id = ${id}`,
    sql`DELETE FROM policy WHERE id = ${id}`,
    sql`TRUNCATE policy_version`,
    sql`TRUNCATE policy CASCADE`,
  ]) {
    await expect(db.run(statement)).rejects.toThrow("permission denied");
    await expect(owner.run(statement)).rejects.toThrow("append-only");
  }
});
