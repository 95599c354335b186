// The audit records who read or changed which patient's data, and from where. Nothing is shown or changed without an entry.
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { db, sql } from "@/lib/platform/db/sql";
import { PEER_HEADER } from "@/lib/platform/http/request";
import { call, MARIA, seedPatient } from "@/tests/support/api";
import { sealAll } from "@/tests/support/audit";
import { imageContent } from "@/tests/support/images";
import { owner } from "@/tests/support/owner";
import { ENDPOINTS, seedWorld, type World } from "@/tests/support/world";

interface Entry {
  practice_id: number;
  kind: string;
  operation: string;
  path: string;
  patients: number[];
  actor_type: string;
  actor_name: string;
  source: string;
  address: string | null;
  reason: string | null;
  request_id: string;
}

let world: World;
let token: string;
let patient: number;
let practice: number;
let last: number;

beforeAll(async () => {
  world = await seedWorld();
  token = world.basics.token;
  patient = world.records.patients as number;
  practice = world.basics.disabled;
});

const entriesOf = (after = 0) =>
  db.rows<Entry & { id: number }>(sql`
    SELECT practice_id, id, kind, operation, path, to_json(patients) AS patients, actor_type, actor_name, source, address,
      reason, request_id
    FROM audit_log WHERE practice_id = ${practice} AND id > ${after} ORDER BY id`);

beforeEach(async () => {
  last = (await entriesOf()).at(-1)?.id ?? 0;
});
const added = () => entriesOf(last);

/** Every GET that shows a patient's data. */
const READS = ENDPOINTS.filter(({ method, path }) => method === "GET" && path.startsWith("patients"));

describe("a read", () => {
  test.each(READS.map((endpoint) => [endpoint.path, endpoint] as const))(
    "creates an entry with the caller, the operation, the patient and the address: %s",
    async (path, { declaration }) => {
      const headers = { "x-request-id": "11111111-2222-4333-8444-555555555555", [PEER_HEADER]: "203.0.113.9" };
      const response = await call("GET", world.at(path), { token, headers });
      expect(response.status).toBe(200);
      expect(await added()).toEqual([
        {
          practice_id: practice,
          id: expect.toSatisfy((id: number) => id > last),
          kind: "read",
          operation: declaration.name,
          path: `/api/2.0/${world.at(path)}`,
          actor_type: "client",
          actor_name: "Test client",
          source: "api",
          patients: [patient],
          address: "203.0.113.9",
          reason: null,
          request_id: response.headers.get("x-request-id"),
        },
      ]);
    },
  );

  test.each([
    "incoming_files",
    "incoming_files/[id]",
    "incoming_files/[id]/files/[file_id]",
    "incoming_files/[id]/images/[image_id]",
  ])("of %s creates an entry in the practice, although no patient is assigned yet", async (path) => {
    expect((await call("GET", world.at(path), { token })).status).toBe(200);
    const shown = { practice_id: practice, kind: "read", path: `/api/2.0/${world.at(path)}`, patients: [] };
    expect(await added()).toMatchObject([shown]);
  });

  test("repeated by an Idempotency-Key also creates an entry, although no patient is assigned", async () => {
    const options = { token, body: world.bodies.incoming_files, headers: { "idempotency-key": randomUUID() } };
    expect((await call("POST", "incoming_files", options)).status).toBe(201);
    await added();
    const again = await call("POST", "incoming_files", options);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(await added()).toMatchObject([{ practice_id: practice, kind: "read", patients: [] }]);
  });

  test("creates one entry for a list, even if some or all of its records have no patient", async () => {
    const lists = ["appointments", "medication_refills"];
    for (const name of lists) {
      const record = world.records[name] as number;
      await db.run(sql`UPDATE resource_record SET patient_id = NULL WHERE id = ${record}`);
      expect((await call("GET", name, { token })).status).toBe(200);
      expect((await call("GET", `${name}/${record}`, { token })).status).toBe(200);
    }
    const paths = lists.flatMap((name) => [name, `${name}/${world.records[name]}`]);
    expect(await added()).toMatchObject(paths.map((path) => ({ path: `/api/2.0/${path}`, patients: [] })));
    for (const name of lists)
      await db.run(sql`UPDATE resource_record SET patient_id = ${patient} WHERE id = ${world.records[name]}`);
  });

  test("is not audited if the data belongs to no patient and no practice", async () => {
    for (const path of ["document_tags", "languages", "report_types"]) await call("GET", path, { token });
    expect(await added()).toEqual([]);
  });

  test("names only the patients that the list showed", async () => {
    const second = await seedPatient(practice, world.basics.physicians.disabled);
    await seedPatient(world.basics.enabled, world.basics.physicians.enabled);
    const { body } = await call("GET", "patients?limit=100", { token });
    const shown = body.results.filter((row: { caregiver_practice: number }) => row.caregiver_practice === practice);
    expect((await added()).map(({ patients }) => patients)).toEqual([shown.map(({ id }: { id: number }) => id)]);
    expect(shown.map(({ id }: { id: number }) => id)).toEqual([patient, second]);
    await call("GET", `patients?last_name=Nobody`, { token });
    expect(await added()).toHaveLength(1);
  });

  test("creates an entry for the holder of a card image's signed link", async () => {
    const { body } = await call("GET", `${world.at("patients/[id]/policies/[policy_id]/card-images")}`, { token });
    const response = await call("GET", body[0].url);
    expect(response.status).toBe(200);
    expect((await added()).at(-1)).toMatchObject({
      actor_type: "link",
      operation: "card_images.get",
      patients: [patient],
    });
  });

  test.each([
    ["another organization's attempt", "stranger", 404],
    ["no token", undefined, 401],
  ] as const)("that was rejected is not audited: %s", async (_what, who, status) => {
    const options = who ? { token: world.basics[who] } : {};
    expect((await call("GET", `patients/${patient}`, options)).status).toBe(status);
    expect(await added()).toEqual([]);
  });

  test("is not audited if it returns 304, because it reveals nothing", async () => {
    const path = world.at("patients/[id]/policies/[policy_id]");
    const { headers } = await call("GET", path, { token });
    const again = await call("GET", path, { token, headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
    expect(await added()).toHaveLength(1);
  });

  test("creates an entry for each of many concurrent clients, in one unbroken chain", async () => {
    const reads = Array.from({ length: 60 }, () => call("GET", `patients/${patient}`, { token }));
    const writes = Array.from({ length: 20 }, (_, at) =>
      call("PATCH", `patients/${patient}`, { token, body: { middle_name: `M${at}` } }),
    );
    expect((await Promise.all([...reads, ...writes])).map(({ status }) => status)).toEqual(Array(80).fill(200));
    const entries = await added();
    expect(entries).toHaveLength(80);
    expect(entries.filter(({ kind }) => kind === "change")).toHaveLength(20);
    await sealAll();
    expect(await added()).toEqual(entries);
    expect(await verifyAudit([], practice)).toMatchObject({ broken: [], unsealed: [] });
  });
});

describe("a change", () => {
  test("creates an entry with its reason, written in the same transaction", async () => {
    const headers = { "x-change-reason": "new card", [PEER_HEADER]: "203.0.113.9" };
    const body = { ...MARIA, rank: 3 };
    const response = await call("POST", `patients/${patient}/policies`, { token, body, headers });
    expect(response.status).toBe(201);
    expect(await added()).toEqual([
      expect.objectContaining({
        kind: "change",
        operation: "policies.create",
        patients: [patient],
        source: "policies_api",
        reason: "new card",
        address: "203.0.113.9",
        path: `/api/2.0/patients/${patient}/policies`,
        request_id: response.headers.get("x-request-id"),
      }),
    ]);
  });

  test("leaves no entry if it is rejected", async () => {
    const rejected = [
      await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, patient_first_name: "Other" } }),
      await call("POST", `patients/${patient}/policies`, { token, body: { rank: 1 } }),
      await call("PATCH", `patients/${patient}`, { token, body: { primary_physician: 999_999 } }),
      await call("PATCH", `patients/${patient}`, { token, body: { sex: "Male" }, headers: { "if-match": '"999"' } }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([422, 400, 400, 412]);
    expect(await added()).toEqual([]);
  });

  test("leaves no entry if it is rolled back after its entry was written", async () => {
    await owner.run(sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    // Deferred, so that it fails at the commit, after everything else was written.
    await owner.run(sql`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON patient_version DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const response = await call("PATCH", `patients/${patient}`, { token, body: { middle_name: "Rolled back" } });
    await owner.run(sql`DROP TRIGGER refuse ON patient_version`);
    expect(response.status).toBe(500);
    expect(await added()).toEqual([]);
    expect((await call("GET", `patients/${patient}`, { token })).body.middle_name).not.toBe("Rolled back");
  });

  test("is audited as a read if it was a dry run, because that showed the patient's data", async () => {
    const body = { ...MARIA, rank: null };
    expect((await call("POST", `patients/${patient}/policies?dry_run=true`, { token, body })).status).toBe(200);
    expect(await added()).toEqual([expect.objectContaining({ kind: "read", operation: "policies.create" })]);
  });

  test("repeated by an Idempotency-Key adds a read entry", async () => {
    const options = { token, body: { ...MARIA, rank: null }, headers: { "idempotency-key": "audit-1" } };
    const [first, again] = [
      await call("POST", `patients/${patient}/policies`, options),
      await call("POST", `patients/${patient}/policies`, options),
    ];
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, first.body, "true"]);
    expect((await added()).map(({ kind, patients }) => [kind, patients])).toEqual([
      ["change", [patient]],
      ["read", [patient]],
    ]);
  });

  test("through each endpoint below patients creates exactly one entry", async () => {
    const image = await imageContent(3);
    const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: null } });
    const at = `patients/${patient}/policies/${policy.body.id}`;
    const writes: [string, string, unknown?][] = [
      ["PUT", at, { ...MARIA, member_id: "1" }],
      ["PATCH", at, { member_id: "2" }],
      ["POST", `${at}/card-images`, { image }],
      ["DELETE", `${at}/card-images/1`],
      ["DELETE", at],
      ["POST", `${at}/restore`],
      ["DELETE", at],
      ["DELETE", `${at}?permanent=true`],
      ["PATCH", `patients/${patient}`, { insurances: [{ rank: "primary" }] }],
      ["POST", `patients/${patient}/insurance_cards`, { rank: 1, side: 1, image }],
      ["DELETE", `patients/${patient}/insurance_cards?rank=1&side=1`],
      ["POST", "patients", world.bodies.patients],
    ];
    for (const [method, path, body] of writes) {
      const before = (await entriesOf()).length;
      const { status } = await call(method, path, { token, ...(body === undefined ? {} : { body }) });
      expect([method, path, status]).toEqual([method, path, expect.toSatisfy((code: number) => code < 300)]);
      expect([method, path, (await entriesOf()).length - before]).toEqual([method, path, 1]);
    }
  });
});
