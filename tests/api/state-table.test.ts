// The specification's state table, row by row, for both settings of the switch: both stores and the card images afterwards.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { activeByRank, expectStoresAgree, policiesOf } from "../support/stores";

let basics: Basics;
let patient: number;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

const policies = (id = "") => `patients/${patient}/policies${id && `/${id}`}`;

async function createPolicy(rank: number | null, memberId: string) {
  const body = { ...MARIA, rank, member_id: memberId, carrier: "Acme Health" };
  const response = await call("POST", policies(), { token, body });
  expect(response.status).toBe(201);
  return response.body as { id: number; patient_insurance: number; version: number };
}

async function addImage(policyId: number, seed: number, imageRank?: number) {
  const body = { image: await imageContent(seed), image_rank: imageRank };
  const response = await call("POST", policies(`${policyId}/card-images`), { token, body });
  expect(response.status).toBe(201);
  return response.body as { sha256: string; image_rank: number };
}

async function legacyPut(insurances: object[]) {
  const got = await call("GET", `patients/${patient}`, { token });
  return call("PUT", `patients/${patient}`, { token, body: { ...got.body, insurances } });
}

async function legacyCards(): Promise<{ rank: number; images: { side: number; url: string }[] }[]> {
  return (await call("GET", `patients/${patient}/insurance_cards`, { token })).body;
}

async function policy(id: number) {
  return (await call("GET", policies(String(id)), { token })).body;
}

for (const setting of ["enabled", "disabled"] as const) {
  describe(`Insurance Versioning ${setting}`, () => {
    beforeEach(async () => {
      patient = await seedPatient(basics[setting], basics.physicians[setting]);
    });

    test("POST policies creates an active policy with an ID, and its legacy record", async () => {
      const created = await createPolicy(1, "A1");
      expect(await policy(created.id)).toMatchObject({ status: "active", rank: 1, version: 1, member_id: "A1" });
      const legacy = (await call("GET", `patients/${patient}`, { token })).body.insurances;
      expect(legacy).toMatchObject([{ id: created.patient_insurance, rank: "primary", member_id: "A1" }]);
      await expectStoresAgree(patient);
    });

    test("PUT policy updates it in place with its legacy record; images stay linked", async () => {
      const created = await createPolicy(1, "A1");
      const image = await addImage(created.id, 1);
      const put = await call("PUT", policies(String(created.id)), { token, body: { ...MARIA, member_id: "A2" } });
      expect(put.status).toBe(200);
      expect(put.body).toMatchObject({ id: created.id, member_id: "A2", carrier: "Acme Health", version: 3 });
      const images = (await call("GET", policies(`${created.id}/card-images`), { token })).body;
      expect(images).toMatchObject([{ sha256: image.sha256 }]);
      await expectStoresAgree(patient);
    });

    test("DELETE policy: archived, history and images kept, the legacy record deactivated; a second DELETE adds nothing", async () => {
      const created = await createPolicy(1, "A1");
      const image = await addImage(created.id, 1);
      expect((await call("DELETE", policies(String(created.id)), { token })).status).toBe(204);
      const archived = await policy(created.id);
      expect(archived).toMatchObject({ status: "archived", archive_reason: "archived_on_request", version: 3 });
      expect((await call("DELETE", policies(String(created.id)), { token })).status).toBe(204);
      expect((await policy(created.id)).version).toBe(3);
      expect((await call("GET", policies(`${created.id}/card-images`), { token })).body).toMatchObject([
        { sha256: image.sha256 },
      ]);
      const legacy = (await call("GET", `patients/${patient}`, { token })).body;
      expect(legacy.insurances).toEqual([]);
      expect(legacy.deleted_insurances).toMatchObject([{ id: created.patient_insurance, member_id: "A1" }]);
      expect(await legacyCards()).toEqual([]);
      await expectStoresAgree(patient);
    });

    test("legacy PUT without an ID creates a new record, archives the previous policy and moves its images to the new one", async () => {
      const old = await createPolicy(1, "A1");
      const front = await addImage(old.id, 1, 1);
      const back = await addImage(old.id, 2, 2);
      const put = await legacyPut([{ rank: "primary", carrier: "New Health", member_id: "B1" }]);
      expect(put.status).toBe(200);
      const [insurance] = put.body.insurances;
      expect(insurance.id).not.toBe(old.patient_insurance);
      const all = await policiesOf(patient);
      const fresh = all.find(({ patient_insurance }) => patient_insurance === insurance.id);
      expect(fresh).toMatchObject({ status: "active", rank: 1, member_id: "B1" });
      expect(fresh?.card_images.map(({ sha256 }) => sha256)).toEqual([front.sha256, back.sha256]);
      const expected = setting === "enabled" ? "superseded" : "replaced_by_legacy_update";
      expect(await policy(old.id)).toMatchObject({ status: "archived", archive_reason: expected, card_images: [] });
      expect((await legacyCards())[0]?.images.map(({ side }) => side)).toEqual([1, 2]);
      const before = (await call("GET", policies(`${old.id}/versions/3`), { token })).body.policy;
      const read = await call("GET", before.card_images[0].url);
      expect([read.status, read.headers.get("content-type")]).toEqual([200, "image/png"]);
      await expectStoresAgree(patient);
    });

    test("legacy PUT with an empty array archives every policy, including unranked ones", async () => {
      await createPolicy(1, "A1");
      await createPolicy(2, "A2");
      await createPolicy(null, "A3");
      const put = await legacyPut([]);
      expect(put.status).toBe(200);
      expect(put.body.insurances).toEqual([]);
      const all = await policiesOf(patient);
      expect(all.map(({ status, archive_reason }) => [status, archive_reason])).toEqual(
        Array(3).fill(["archived", "legacy_insurances_emptied"]),
      );
      await expectStoresAgree(patient);
    });

    test("legacy PATCH without insurances leaves the insurances unchanged", async () => {
      const created = await createPolicy(1, "A1");
      const patch = await call("PATCH", `patients/${patient}`, { token, body: { notes: "Prefers mornings." } });
      expect(patch.status).toBe(200);
      expect(patch.body).toMatchObject({ notes: "Prefers mornings.", insurances: [{ id: created.patient_insurance }] });
      expect((await policy(created.id)).version).toBe(1);
      await expectStoresAgree(patient);
    });

    test("renaming the patient renames the active policies", async () => {
      const created = await createPolicy(1, "A1");
      await call("PATCH", `patients/${patient}`, { token, body: { last_name: "Lopez-Hart" } });
      expect(await policy(created.id)).toMatchObject({ patient_last_name: "Lopez-Hart", version: 2 });
      await expectStoresAgree(patient);
    });
  });
}

describe("Insurance Versioning enabled, legacy PUT with ids", () => {
  beforeEach(async () => {
    patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  });

  test("the ID of a current insurance updates it in place; images stay linked, omitted fields stay", async () => {
    const created = await createPolicy(1, "A1");
    const image = await addImage(created.id, 1);
    const put = await legacyPut([{ id: created.patient_insurance, rank: "primary", member_id: "A9" }]);
    expect(put.body.insurances).toMatchObject([
      { id: created.patient_insurance, member_id: "A9", carrier: "Acme Health" },
    ]);
    expect(await policy(created.id)).toMatchObject({ status: "active", member_id: "A9", version: 3 });
    expect((await call("GET", policies(`${created.id}/card-images`), { token })).body).toMatchObject([
      { sha256: image.sha256 },
    ]);
    await expectStoresAgree(patient);
  });

  test("an insurance absent from the array is archived with its images, not deleted", async () => {
    const first = await createPolicy(1, "A1");
    const second = await createPolicy(2, "A2");
    const image = await addImage(second.id, 1);
    await legacyPut([{ id: first.patient_insurance, rank: "primary" }]);
    expect(await policy(second.id)).toMatchObject({
      status: "archived",
      archive_reason: "absent_from_legacy_update",
      card_images: [{ image_rank: 1 }],
    });
    expect((await call("GET", policies(`${second.id}/card-images`), { token })).body[0].sha256).toBe(image.sha256);
    expect(await activeByRank(patient)).toEqual({ "1": "A1" });
    await expectStoresAgree(patient);
  });

  test("ranks swapped by ID are updated in place; each keeps its images", async () => {
    const first = await createPolicy(1, "A1");
    const second = await createPolicy(2, "A2");
    const image = await addImage(first.id, 1);
    await legacyPut([
      { id: first.patient_insurance, rank: "secondary" },
      { id: second.patient_insurance, rank: "primary" },
    ]);
    expect(await activeByRank(patient)).toEqual({ "1": "A2", "2": "A1" });
    expect((await policiesOf(patient)).find(({ id }) => id === first.id)?.card_images[0]?.sha256).toBe(image.sha256);
    expect((await legacyCards()).map(({ rank }) => rank)).toEqual([2]);
    await expectStoresAgree(patient);
  });

  test("a new record at a rank that another one leaves has no images; the moved one keeps its own", async () => {
    const first = await createPolicy(1, "A1");
    await addImage(first.id, 1);
    await legacyPut([
      { id: first.patient_insurance, rank: "tertiary" },
      { rank: "primary", member_id: "B1" },
    ]);
    expect(await activeByRank(patient)).toEqual({ "1": "B1", "3": "A1" });
    expect((await legacyCards()).map(({ rank }) => rank)).toEqual([3]);
    await expectStoresAgree(patient);
  });

  test("an insurance without cards that moves to a rank with a waiting card gets the card", async () => {
    await db.run(sql`UPDATE practice SET insurance_versioning_enabled = false WHERE id = ${basics.enabled}`);
    const body = { rank: 2, side: 1, image: await imageContent(7) };
    expect((await call("POST", `patients/${patient}/insurance_cards`, { token, body })).status).toBe(201);
    await db.run(sql`UPDATE practice SET insurance_versioning_enabled = true WHERE id = ${basics.enabled}`);
    const created = await createPolicy(1, "A1");
    await legacyPut([{ id: created.patient_insurance, rank: "secondary" }]);
    expect((await policy(created.id)).card_images).toHaveLength(1);
    expect((await legacyCards()).map(({ rank }) => rank)).toEqual([2]);
    await expectStoresAgree(patient);
  });

  test.each([
    ["an ID that is not a current insurance of the patient", [{ id: 999_999, rank: "primary" }], "id"],
    ["a rank given twice", [{ rank: "primary" }, { rank: "primary" }], "rank"],
  ])("400 and no change: %s", async (_, insurances, field) => {
    await createPolicy(1, "A1");
    const before = await policiesOf(patient);
    const put = await legacyPut(insurances);
    expect(put.status).toBe(400);
    expect(put.body.insurances.at(-1)).toHaveProperty(field);
    expect(await policiesOf(patient)).toEqual(before);
    await expectStoresAgree(patient);
  });

  test("400 for a repeated ID, the ID of a past insurance, or a company of another practice", async () => {
    const created = await createPolicy(1, "A1");
    const id = created.patient_insurance;
    expect(
      (
        await legacyPut([
          { id, rank: "primary" },
          { id, rank: "secondary" },
        ])
      ).body.insurances[1].id,
    ).toBeDefined();
    expect((await legacyPut([{ id, rank: "primary", insurance_company: 424_242 }])).body.insurances[0]).toHaveProperty(
      "insurance_company",
    );
    await call("DELETE", policies(String(created.id)), { token });
    expect((await legacyPut([{ id, rank: "primary" }])).status).toBe(400);
    await expectStoresAgree(patient);
  });

  test("422 for a card by rank, naming the policy endpoint, which accepts it", async () => {
    const body = { rank: 1, side: 1, image: await imageContent(1) };
    const response = await call("POST", `patients/${patient}/insurance_cards`, { token, body });
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({ code: "policy_id_required" });
    expect(response.body.detail).toContain(`/api/2.0/patients/${patient}/policies/`);
    await expectStoresAgree(patient);
  });
});

describe("Insurance Versioning disabled", () => {
  beforeEach(async () => {
    patient = await seedPatient(basics.disabled, basics.physicians.disabled);
  });

  test("every write with insurances replaces them all with new IDs and ignores sent IDs", async () => {
    const first = await createPolicy(1, "A1");
    const image = await addImage(first.id, 1);
    const put = await legacyPut([
      { id: first.patient_insurance, rank: "primary", member_id: "A1" },
      { id: 999_999, rank: "secondary", member_id: "A2" },
    ]);
    expect(put.status).toBe(200);
    expect(put.body.insurances.map(({ id }: { id: number }) => id)).not.toContain(first.patient_insurance);
    expect(put.body.deleted_insurances).toMatchObject([{ id: first.patient_insurance }]);
    expect(await activeByRank(patient)).toEqual({ "1": "A1", "2": "A2" });
    const active = (await policiesOf(patient)).find(({ status, rank }) => status === "active" && rank === 1);
    expect(active?.card_images.map(({ sha256 }) => sha256)).toEqual([image.sha256]);
    await expectStoresAgree(patient);
  });

  test("cards by rank are added, replaced, shown on the policy and removed; history keeps all of them", async () => {
    const created = await createPolicy(1, "A1");
    for (const seed of [1, 2]) {
      const body = { rank: 1, side: 1, image: await imageContent(seed) };
      expect((await call("POST", `patients/${patient}/insurance_cards`, { token, body })).status).toBe(201);
      await expectStoresAgree(patient);
    }
    expect((await policy(created.id)).card_images).toHaveLength(1);
    expect((await call("DELETE", `patients/${patient}/insurance_cards?rank=1&side=1`, { token })).status).toBe(204);
    expect((await policy(created.id)).card_images).toEqual([]);
    await expectStoresAgree(patient);
    for (const version of [2, 3]) {
      const then = (await call("GET", policies(`${created.id}/versions/${version}`), { token })).body.policy
        .card_images;
      expect((await call("GET", then[0].url)).status).toBe(200);
    }
  });

  test("a card at a free rank waits there and goes to the policy that takes the rank", async () => {
    const body = { rank: 2, side: 1, image: await imageContent(7) };
    expect((await call("POST", `patients/${patient}/insurance_cards`, { token, body })).status).toBe(201);
    await legacyPut([{ rank: "secondary", member_id: "B1" }]);
    const [holder] = await policiesOf(patient);
    expect(holder?.card_images).toHaveLength(1);
    await expectStoresAgree(patient);
  });
});
