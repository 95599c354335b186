// Reference data, which every client reads and none writes, and records that all practices share.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, tokenFor } from "../support/api";
import { LABELER, load, MEDICATION, PACKAGE, PHARMACY, seedReferenceData } from "../support/reference-data";

const NAMES = [
  "languages",
  "packaged_medication_labelers",
  "packaged_medications",
  "pharmacies",
  "reference_medications",
] as const;

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
  await seedReferenceData();
});

const results = async (path: string, token = basics.token) => {
  const { status, body } = await call("GET", path, { token });
  expect(status, path).toBe(200);
  return body.results;
};
const named = async (path: string, field = "name", token = basics.token) =>
  (await results(path, token)).map((record: Record<string, unknown>) => record[field]);

describe("reference data", () => {
  test("is the same for the token of every practice, and requires its scope", async () => {
    for (const name of NAMES) {
      const own = await results(`${name}/`);
      expect(own.length).toBeGreaterThan(1);
      expect(await results(`${name}/`, basics.stranger)).toEqual(own);
      const scopes = [`system/${name}.read`];
      const scoped = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
      expect((await call("GET", `${name}/`, { token: scoped })).status).toBe(200);
      const other = NAMES.find((one) => one !== name);
      expect((await call("GET", `${other}/`, { token: scoped })).status).toBe(403);
    }
  });

  test("can't be written: 405 on every path, even with the global scope", async () => {
    for (const name of NAMES) {
      const [first] = await results(`${name}/`);
      const one = `${name}/${first.ncpdpid ?? first.id ?? 1}/`;
      for (const [method, path] of [
        ["POST", `${name}/`],
        ["PUT", one],
        ["PATCH", one],
        ["DELETE", one],
      ] as const) {
        const rejected = await call(method, path, { token: basics.token, body: {} });
        // Languages have no path for one record.
        const status = name === "languages" && path === one ? 404 : 405;
        expect([method, path, rejected.status]).toEqual([method, path, status]);
        if (status === 405) expect(rejected.headers.get("allow")).not.toMatch(/POST|PUT|PATCH|DELETE/);
      }
    }
  });

  test("is paged forward and back", async () => {
    const names = await named("languages/");
    expect(names).toEqual(["English", "Spanish", "Welsh"]);
    const first = (await call("GET", "languages/?limit=2", { token: basics.token })).body;
    expect(first.count).toBe(3);
    const second = (await call("GET", first.next, { token: basics.token })).body;
    const back = (await call("GET", second.previous, { token: basics.token })).body;
    expect([first, second, back].map((page) => page.results.map(({ name }: { name: string }) => name))).toEqual([
      ["English", "Spanish"],
      ["Welsh"],
      ["English", "Spanish"],
    ]);
    const counted = (await call("GET", "languages/?limit=2&offset=1", { token: basics.token })).body;
    expect([counted.count, counted.results.length]).toEqual([3, 2]);
    expect(await named("languages/?order_by=-id")).toEqual([...names].reverse());
    expect(await named("languages/?order_by=-created_date")).toEqual([...names].reverse());
  });

  test("languages have names only", async () => {
    expect(await results("languages/?limit=1")).toEqual([{ name: "English" }]);
  });

  test("labelers are found by name", async () => {
    const [labeler] = await results("packaged_medication_labelers/?name=fairmoor%20generics");
    expect(labeler).toEqual({ id: expect.any(Number), ...LABELER });
    const one = await call("GET", `packaged_medication_labelers/${labeler.id}/`, { token: basics.stranger });
    expect([one.status, one.body]).toEqual([200, labeler]);
  });

  test("reference medications are found by name and by any of their codes, and belong to no practice", async () => {
    const [medication] = await results("reference_medications/?rxnorm_cui=9000002");
    const { external_id: _known, ...fields } = MEDICATION;
    expect(medication).toMatchObject({ ...fields, brand_name: "", is_controlled: false, type: "prescription" });
    expect(medication).not.toHaveProperty("practice");
    expect(medication).not.toHaveProperty("external_id");
    const id = medication.id;
    for (const query of [
      "ndc=07001-1000-21",
      "ndc=07001-1000-11&ndc=none",
      "name=Lisinopril%2010%20mg%20oral%20tablet",
    ])
      expect(await named(`reference_medications/?${query}`, "id"), query).toEqual([id]);
    expect(await results("reference_medications/?ndc=07001")).toEqual([]);
    expect(await results(`reference_medications/?practice=${basics.enabled}`)).toEqual([]);
    expect((await call("GET", `reference_medications/${id}/`, { token: basics.token })).body).toEqual(medication);
  });

  test("packaged medications name their labeler and medication by ID, and are found by code, activity and medication", async () => {
    const [labeler] = await results("packaged_medication_labelers/?name=Fairmoor%20Generics");
    const [medication] = await results("reference_medications/?rxnorm_cui=9000001");
    const [pack] = await results(`packaged_medications/?ndc=${PACKAGE.ndc}`);
    expect(pack).toMatchObject({
      ...PACKAGE,
      labeler_id: labeler.id,
      reference_medication_id: medication.id,
      is_active: true,
      deleted_date: null,
      upc: null,
    });
    expect(await named(`packaged_medications/?reference_medication_id=${medication.id}`, "ndc")).toEqual([
      "07001-1000-11",
      "07001-1000-21",
    ]);
    expect(await named("packaged_medications/?is_active=false", "ndc")).toEqual(["07001-1000-21"]);
    expect(await named("packaged_medications/?is_deleted=false", "ndc")).toHaveLength(3);
    expect(await results("packaged_medications/?is_deleted=true")).toEqual([]);
  });

  test("pharmacies are identified by NCPDP ID and found by opening hours", async () => {
    const found = await call("GET", "pharmacies/2010042/", { token: basics.stranger });
    expect([found.status, found.body.store_name]).toEqual([200, PHARMACY.store_name]);
    expect(found.body.id).toEqual(expect.any(Number));
    for (const name of [found.body.id, "2019999", "x"])
      expect((await call("GET", `pharmacies/${name}/`, { token: basics.token })).status).toBe(404);
    expect(await named("pharmacies/?active_start_time=2020-01-01", "ncpdpid")).toEqual(["2010042"]);
    expect(await named("pharmacies/?active_end_time=2010-06-30T00:00:00Z", "ncpdpid")).toEqual(["2010043"]);
    const wrong = await call("GET", "pharmacies/?active_end_time=soon", { token: basics.token });
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ["active_end_time"]]);
  });

  test("gets a version from the loader, and no event", async () => {
    const versions = await db.rows(sql`
      SELECT DISTINCT practice_id, kind, version, actor ->> 'name' AS by, source, reason FROM record_version
      WHERE record_type = 'pharmacies'`);
    const loaded = { by: "Record loader", source: "migration", reason: "Loaded from pharmacies.ndjson" };
    expect(versions).toEqual([{ practice_id: null, kind: "created", version: 1, ...loaded }]);
    expect(await db.rows(sql`SELECT 1 FROM published_event WHERE resource = 'pharmacies'`)).toEqual([]);
  });
});

describe("records shared by every practice", () => {
  test("appear in each practice's list, next to its own records, and clients can't delete them", async () => {
    await load("vaccine", [{ cvx: 20, name: "DTaP", creation_type: "medispan" }]);
    await load("vaccine", [{ cvx: 20, name: "Our DTaP" }], { practiceId: basics.enabled });
    expect(await named("vaccine/?cvx=20")).toEqual(["DTaP", "Our DTaP"]);
    expect(await named("vaccine/?cvx=20", "name", basics.stranger)).toEqual(["DTaP"]);
    expect(await named(`vaccine/?practice=${basics.enabled}`)).toEqual(["Our DTaP"]);
    const [shared, own] = await results("vaccine/?cvx=20");
    expect([shared.practice, own.practice]).toEqual([null, basics.enabled]);
    expect((await call("GET", `vaccine/${own.id}/`, { token: basics.stranger })).status).toBe(404);
    expect((await call("DELETE", `vaccine/${own.id}/`, { token: basics.stranger })).status).toBe(404);
    const rejected = await call("DELETE", `vaccine/${shared.id}/`, { token: basics.token });
    expect(rejected.status).toBe(403);
    expect(await named("vaccine/?cvx=20", "name", basics.stranger)).toEqual(["DTaP"]);
  });

  test("can be filtered by the services of a company, which no response shows", async () => {
    await load("ancillary_companies", [
      { name: "Casco Bay Imaging", types: ["imaging"] },
      { name: "Midcoast Testing", types: ["cardiac", "imaging"] },
    ]);
    expect(await named("ancillary_companies/?type=imaging")).toEqual(["Casco Bay Imaging", "Midcoast Testing"]);
    const [company] = await results("ancillary_companies/?type=cardiac", basics.stranger);
    expect(company).toEqual({ id: expect.any(Number), name: "Midcoast Testing" });
    expect(await results("ancillary_companies/?type=sleep")).toEqual([]);
  });
});
