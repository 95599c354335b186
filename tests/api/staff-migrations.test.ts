// Calls of the migration assistant: uploads in parts, findings as files, decisions, readiness and sign-off.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PART_BYTES, removeReadUploads } from "@/lib/migration/read/upload-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { withFullAudit } from "../support/audit";
import { toLines } from "../support/generated-export";
import { legacyInsurance, legacyPatient } from "../support/legacy-export";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { staffRuns } from "../support/staff-runs";
import { createListener } from "../support/webhook-clients";

let basics: Basics;
let practice: number;
let admin: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practice = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practice);
  admin = await signInAs("admin", [practice]);
});

const faulty = legacyPatient(2, { insurances: [legacyInsurance(20, { copay: "$20", member_id: "=1+1" })] });
const { post, get, put, file, begin, check } = staffRuns(() => ({ who: admin, practice }));
const checked = (content = Buffer.from(toLines([legacyPatient(1), faulty]))) => check(content);

describe("a practice's quota", () => {
  test("limits open runs: another run is rejected until one is canceled", async () => {
    const first = await begin(Buffer.from("x"));
    await db.run(sql`
      INSERT INTO migration_run (practice_id, source_name, source_size, as_of, state, since_date, origin, created_date, changed_date)
      SELECT practice_id, source_name, source_size, as_of, 'uploading', since_date, origin, created_date, changed_date
      FROM migration_run, generate_series(2, 50) WHERE id = ${first}`);
    const rejected = await post("", { name: "a.csv", size: 1 });
    expect(rejected).toMatchObject({ status: 409, body: { code: "run_quota" } });
    expect(rejected.body.detail).toBe(
      "This practice has 50 open runs, and the limit is 50. Cancel runs that you no longer need.",
    );
    await post(`/${first}/work`, { work: "cancel" });
    expect((await post("", { name: "a.csv", size: 1 })).status).toBe(201);
  });

  test("limits stored bytes: a file beyond it is rejected before the upload", async () => {
    const size = 8 * 1024 ** 3;
    for (const status of [201, 201, 409]) expect((await post("", { name: "a.csv", size })).status).toBe(status);
    const rejected = await post("", { name: "a.csv", size });
    expect(rejected.body).toMatchObject({
      code: "storage_quota",
      detail: expect.stringContaining("16,384 MiB of 16,384 MiB"),
    });
  });
});

describe("an upload", () => {
  test("arrives in parts, in any order and with one repeated, and is read as one file", async () => {
    const many = Array.from({ length: 9_000 }, (_, n) => legacyPatient(n, { insurances: [], deleted_insurances: [] }));
    const content = Buffer.from(toLines(many));
    expect(Math.ceil(content.length / PART_BYTES)).toBe(1 + Math.floor(content.length / PART_BYTES));
    const padded = Buffer.concat([content, Buffer.alloc(2 * PART_BYTES - content.length + 100, "\n")]);
    const run = await begin(padded);
    const part = (at: number) => padded.subarray((at - 1) * PART_BYTES, at * PART_BYTES);
    expect((await get(`/${run}`)).body.upload).toEqual({ part_bytes: PART_BYTES, parts: 3, missing: [1, 2, 3] });
    await put(run, 3, part(3));
    await put(run, 1, Buffer.alloc(PART_BYTES, "x"));
    await put(run, 1, part(1));
    expect((await get(`/${run}`)).body.upload.missing).toEqual([2]);
    const early = await post(`/${run}/work`, { work: "check" });
    expect(early).toMatchObject({ status: 409, body: { code: "upload_incomplete" } });
    expect(early.body.detail).toContain("1 of 3 parts");
    await put(run, 2, part(2));
    await post(`/${run}/work`, { work: "check" });
    await workRun(run);
    const { run: now, totals } = (await get(`/${run}`)).body;
    expect([now.state, totals.patients.records]).toEqual(["checked", many.length]);
    await removeReadUploads();
    expect(await db.rows(sql`SELECT 1 FROM migration_part WHERE run_id = ${run}`)).toEqual([]);
  });

  test("is rejected with a message if its length or part is wrong, if it is JSON, or if the run has a file", async () => {
    const run = await begin(Buffer.from("0123456789"));
    expect(await put(run, 1, Buffer.from("012"))).toMatchObject({
      status: 400,
      body: { part: [expect.stringContaining("10 bytes")] },
    });
    expect(await put(run, 2, Buffer.from("0"))).toMatchObject({
      status: 400,
      body: { part: ["The file has no such part."] },
    });
    const path = `practices/${practice}/migrations/${run}/parts/1`;
    expect((await staffCallAs(admin, "PUT", path, { body: {} })).status).toBe(415);
    const other = await checked();
    expect(await put(other, 1, Buffer.from("0"))).toMatchObject({ status: 409, body: { code: "run_state" } });
  });

  const wrong: [string, object, string][] = [
    ["no name", { name: " " }, "name"],
    ["an empty file", { size: 0 }, "size"],
    ["more than 8 GiB", { size: 8 * 1024 ** 3 + 1 }, "size"],
    ["no date", { as_of: "2025-02-30" }, "as_of"],
    ["invalid companies", { companies: "Humana" }, "companies"],
    ["an unknown column", { columns: { A: "patient.shoe_size" } }, "columns"],
    ["an unknown run", { follows: 999_999_999 }, "follows"],
  ];
  test.each(wrong)("names the field if it has %s", async (_what, fields, field) => {
    const body = { name: "a.ndjson", size: 10, ...fields };
    const response = await post("", body);
    expect(response.status).toBe(400);
    expect(Object.keys(response.body)).toEqual([field]);
  });
});

describe("findings", () => {
  test("are listed by code and by record, and exported exactly as filtered", async () => {
    const run = await checked();
    const { groups, totals } = (await get(`/${run}`)).body;
    expect(groups).toMatchObject([{ code: "decimal_invalid", severity: "error", count: 1, open: 1, fixable: 1 }]);
    expect(totals.blocked).toEqual({ records: 1, findings: 1 });
    const { results } = (await get(`/${run}/findings?severity=error`)).body;
    expect(results).toMatchObject([
      { patient: "1002", insurance: "20", found: "$20", fix: { values: { copay: "20.00" } } },
    ]);
    expect((await get(`/${run}/findings?severity=warning`)).body).toEqual({ count: 0, results: [] });

    const csv = await file(`/${run}/findings/export?format=csv&severity=error`);
    expect(csv.split("\r\n")).toHaveLength(3);
    expect(csv).toContain("decimal_invalid,error");
    const ndjson = await file(`/${run}/findings/export?format=ndjson`);
    expect(Object.keys(JSON.parse(ndjson)).slice(0, 4)).toEqual(["patient", "insurance", "code", "severity"]);

    const record = (await get(`/${run}/records/2`)).body;
    expect(record.insurances[0].fields).toContainEqual({ field: "copay", legacy: "$20", proposed: null });
    await post(`/${run}/decisions`, { findings: { ids: [results[0].id] }, decision: { decide: "accept" } });
    const mended = (await get(`/${run}/records/2`)).body;
    expect(mended.record).toMatchObject({ verdict: "create" });
    expect(mended.insurances[0].fields).toContainEqual({
      field: "copay",
      legacy: "$20",
      fixed: "20.00",
      proposed: "20.00",
    });
  });

  test("look absent if their run belongs to another practice", async () => {
    const run = await checked();
    const other = await seedPractice(basics.organization, "Another", true);
    const both = await signInAs("admin", [practice, other]);
    for (const path of ["", "/findings", "/findings/export", "/records", "/records/1"]) {
      expect((await staffCallAs(both, "GET", `practices/${other}/migrations/${run}${path}`)).status).toBe(404);
    }
  });
});

test("a decision, the conversion and the rollback report what is missing", async () => {
  const run = await checked();
  const skip = await post(`/${run}/decisions`, { findings: { filter: {} }, decision: { decide: "skip", reason: " " } });
  expect(skip.status).toBe(400);
  const owner = { findings: { filter: {} }, decision: { decide: "assign", owner_id: 999_999_999 } };
  expect(await post(`/${run}/decisions`, owner)).toMatchObject({
    status: 400,
    body: { owner_id: ["No such member in this practice."] },
  });
  const early = await post(`/${run}/conversion`, undefined);
  expect(early).toMatchObject({ status: 422, body: { code: "blockers_remain" } });
  expect((await post(`/${run}/roll-back`, undefined)).status).toBe(400);
  expect((await post(`/${run}/work`, { work: "resume" })).body.code).toBe("run_state");
});

test("a run announces how many subscriptions get an event for each patient it writes, and they do", async () => {
  await createListener(basics, "https://other.example/");
  await createListener(basics, "https://payers.example/", "insurance_companies", [practice]);
  await createListener(basics, "https://patients.example/", "patients", [practice]);
  const run = await checked(Buffer.from(toLines([legacyPatient(1), legacyPatient(2)])));
  expect((await get(`/${run}`)).body).toMatchObject({ subscriptions: 1, totals: { patients: { create: 2 } } });
  expect((await post(`/${run}/conversion`, undefined)).status).toBe(200);
  await workRun(run);
  const countEvents = async () =>
    db.one(sql`
      SELECT count(*)::int AS events, count(DISTINCT resource_id)::int AS patients
      FROM published_event WHERE practice_id = ${practice} AND resource = 'patients'`);
  expect(await countEvents()).toEqual({ events: 2, patients: 2 });
  const rollBack = { headers: { "x-change-reason": "A trial" } };
  expect((await staffCallAs(admin, "POST", `practices/${practice}/migrations/${run}/roll-back`, rollBack)).status).toBe(
    200,
  );
  await workRun(run);
  expect(await countEvents()).toEqual({ events: 4, patients: 2 });
});

test("readiness figures add up, and a sign-off keeps them", async () => {
  const nothing = await post("/sign-offs", { decision: "go", reason: "Why not" });
  expect(nothing).toMatchObject({
    status: 400,
    body: { decision: [expect.stringContaining("No records have been checked yet")] },
  });
  await checked();
  const { parts, records, percent, days } = (await get("/readiness")).body;
  expect([parts, records, percent]).toEqual([{ verified: 0, convertible: 1, person: 1, refused: 0 }, 2, 0]);
  expect(days).toMatchObject([{ verified: 0, convertible: 1, person: 1, refused: 0 }]);
  const { status, body } = await post("/sign-offs", { decision: "no_go", reason: "One amount is wrong" });
  expect(status).toBe(201);
  expect(body.sign_offs).toMatchObject([
    { decision: "no_go", reason: "One amount is wrong", figures: { parts, percent } },
  ]);
  await expect(owner.run(sql`DELETE FROM migration_sign_off`)).rejects.toThrow("append-only");
  const csv = await file(`/readiness/export`);
  expect(csv).toContain("Invalid amount");
});

test("a sign-off that is answered with an error is not stored, so a repeated one is stored once", async () => {
  const sign = () => post("/sign-offs", { decision: "no_go", reason: "Not yet" });
  const renameDays = (from: string, to: string) => owner.run(sql`ALTER TABLE ${raw(from)} RENAME TO ${raw(to)}`);
  const { status, body } = await withFullAudit(sign);
  expect([status, body.detail]).toEqual([503, expect.stringContaining("nothing was changed")]);
  await renameDays("migration_day", "hidden");
  expect((await sign().finally(() => renameDays("hidden", "migration_day"))).status).toBe(500);
  expect((await sign()).body.sign_offs).toMatchObject([{ decision: "no_go", reason: "Not yet" }]);
  const entries = await db.rows(sql`
    SELECT kind, patients FROM audit_log WHERE practice_id = ${practice} AND operation = 'staff.migrations.sign-off'`);
  expect(entries).toEqual([{ kind: "read", patients: [] }]);
});
