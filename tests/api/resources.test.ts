// Resources that are served from their declarations: what the engine does for each of them, shown on allergies.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { absentRecords } from "@/lib/platform/errors";
import { type Basics, call, seedBasics, seedPatient, seedPhysician, tokenFor } from "../support/api";

let basics: Basics;
let token: string;
let both: string;
let foreign: string;
let patient: number;
let neighbor: number;
beforeAll(async () => {
  basics = await seedBasics();
  const { organization, enabled, disabled } = basics;
  token = await tokenFor({ organizationId: organization, practices: [enabled] });
  both = await tokenFor({ organizationId: organization, practices: [enabled, disabled] });
  foreign = await tokenFor({ organizationId: organization, practices: [disabled] });
  patient = await seedPatient(enabled, await seedPhysician(enabled));
  neighbor = await seedPatient(disabled, await seedPhysician(disabled));
});

const create = (fields: object = {}, as = token) =>
  call("POST", "allergies/", { token: as, body: { patient, name: "Penicillin", ...fields } });

describe("a record", () => {
  test("is created with defaults, read, changed and deleted, each change with a version", async () => {
    const created = await create({ reaction: "Hives", status: "Active", medispanid: "1", unknown: true });
    expect(created.status).toBe(201);
    const { id, created_date } = created.body;
    const record = {
      id,
      patient,
      name: "Penicillin",
      reaction: "Hives",
      status: "Active",
      medispanid: "",
      medispandnid: "",
      start_date: null,
      created_date,
      deleted_date: null,
    };
    expect(created.body).toEqual(record);
    expect(created.headers.get("location")).toMatch(new RegExp(`/api/2.0/allergies/${id}/$`));

    const patched = await call("PATCH", `allergies/${id}/`, { token, body: { severity: "severe", reaction: null } });
    expect([patched.status, patched.headers.get("etag")]).toEqual([200, '"2"']);
    expect(patched.body).toEqual({ ...record, severity: "severe", reaction: null });
    const put = await call("PUT", `allergies/${id}/`, { token, body: { patient, name: "Penicillin V" } });
    expect(put.body).toEqual({ ...record, name: "Penicillin V", severity: "severe", reaction: null });
    const same = await call("PUT", `allergies/${id}/`, { token, body: { patient, name: "Penicillin V" } });
    expect(same.headers.get("etag")).toBe('"3"');
    const stale = await call("DELETE", `allergies/${id}/`, { token, headers: { "if-match": '"2"' } });
    expect(stale.status).toBe(412);

    expect((await call("DELETE", `allergies/${id}/`, { token })).status).toBe(204);
    for (const method of ["GET", "DELETE"] as const)
      expect((await call(method, `allergies/${id}/`, { token })).status).toBe(404);
    const versions = await db.rows(sql`
      SELECT version, kind, source FROM record_version WHERE record_type = 'allergies' AND record_id = ${id} ORDER BY version`);
    expect(versions).toEqual(
      ["created", "updated", "updated", "deleted"].map((kind, at) => ({ version: at + 1, kind, source: "api" })),
    );
  });

  test("returns 304 without a body if the client already has it, and is not audited", async () => {
    const { id } = (await create()).body;
    const read = (tag: string, as = token) =>
      call("GET", `allergies/${id}/`, { token: as, headers: { "if-none-match": tag } });
    for (const tag of ['"1"', 'W/"1"', '"7", "1"', "*"]) {
      const { status, body, headers } = await read(tag);
      expect([tag, status, body.length, headers.get("etag")]).toEqual([tag, 304, 0, '"1"']);
    }
    for (const tag of ['"2"', "nonsense"]) expect((await read(tag)).status).toBe(200);
    expect((await read("*", foreign)).status).toBe(404);
    await call("PATCH", `allergies/${id}/`, { token, body: { reaction: "Hives" } });
    const changed = await read('"1"');
    expect([changed.status, changed.headers.get("etag"), changed.body.reaction]).toEqual([200, '"2"', "Hives"]);
  });

  test("is always sent in full if it includes other records, because its version does not cover them", async () => {
    const practice = basics.enabled;
    const at = "2026-01-05T09:00:00.000Z";
    const thread = { patient, practice, document_date: at, chart_date: at };
    const { id } = (await call("POST", "message_threads/", { token, body: thread })).body;
    const read = () => call("GET", `message_threads/${id}/`, { token, headers: { "if-none-match": '"1"' } });
    expect((await read()).body.members).toEqual([]);
    const member = await call("POST", "thread_members/", { token, body: { thread: id, status: "Addressed" } });
    expect((await read()).body.members).toMatchObject([{ id: member.body.id }]);
  });

  test.each<[string, object, object]>([
    ["without its name", { name: undefined }, { name: [expect.any(String)] }],
    ["of an unknown patient", { patient: 999_999_999 }, { patient: absentRecords(999_999_999) }],
    ["with an unknown value", { severity: "bad" }, { severity: [expect.any(String)] }],
    ["with an invalid date", { start_date: "2025-02-30" }, { start_date: [expect.any(String)] }],
    ["too long", { reaction: "x".repeat(201) }, { reaction: [expect.any(String)] }],
  ])("%s is rejected by name, and nothing is stored", async (_what, fields, body) => {
    const count = () => db.first(sql`SELECT count(*) AS records FROM resource_record`);
    const before = await count();
    const rejected = await create(fields);
    expect([rejected.status, rejected.body]).toEqual([400, body]);
    expect(await count()).toEqual(before);
  });

  test("looks absent if its patient belongs to another practice", async () => {
    expect((await create({ patient: neighbor })).body).toEqual({ patient: absentRecords(neighbor) });
    const { id } = (await create()).body;
    for (const method of ["GET", "PATCH", "DELETE"] as const) {
      const [theirs, absent] = await Promise.all(
        [id, 999_999_999].map((one) =>
          call(method, `allergies/${one}/`, { token: foreign, ...(method === "PATCH" ? { body: {} } : {}) }),
        ),
      );
      expect([theirs?.status, theirs?.body]).toEqual([404, absent?.body]);
    }
    const moved = await call("PATCH", `allergies/${id}/`, { token: both, body: { patient: neighbor } });
    expect(moved.body).toEqual({ patient: ["A record can't be moved to another patient."] });
  });
});

describe("a list", () => {
  test("covers the caller's practices, is paged forward and back in both orders, and is filtered by patient", async () => {
    const own = await seedPatient(basics.enabled, await seedPhysician(basics.enabled), "Ann Page");
    const created: number[] = [];
    for (const name of ["A", "B", "C", "D", "E"]) created.push((await create({ patient: own, name })).body.id);
    const other = (await create({ patient: neighbor, name: "F" }, both)).body.id;

    for (const order of ["id", "-id", "created_date", "-created_date"]) {
      const wanted = order.startsWith("-") ? [...created].reverse() : created;
      const seen: number[] = [];
      let next: string | null = `allergies/?patient=${own}&limit=2&order_by=${order}`;
      let last = null;
      while (next) {
        const { status, body } = await call("GET", next, { token });
        expect(status).toBe(200);
        seen.push(...body.results.map(({ id }: { id: number }) => id));
        last = body;
        next = body.next?.replace(/^.*\/api\/2\.0\//, "");
      }
      expect(seen, order).toEqual(wanted);
      const back = await call("GET", last.previous.replace(/^.*\/api\/2\.0\//, ""), { token });
      expect(back.body.results.map(({ id }: { id: number }) => id)).toEqual(wanted.slice(2, 4));
    }
    const counted = await call("GET", `allergies/?patient=${own}&patient=${neighbor}&limit=3&offset=3`, {
      token: both,
    });
    expect(counted.body.count).toBe(6);
    expect(counted.body.results.map(({ id }: { id: number }) => id)).toEqual([...created.slice(3), other]);
    expect((await call("GET", `allergies/?patient=${neighbor}`, { token })).body.results).toEqual([]);
  });

  test("rejects unknown filters by name", async () => {
    for (const [query, field] of [
      ["patient=x", "patient"],
      ["order_by=name", "order_by"],
      ["limit=0", "limit"],
    ])
      expect(Object.keys((await call("GET", `allergies/?${query}`, { token })).body)).toEqual([field]);
  });
});

test("reads of a patient's records are audited", async () => {
  const { id } = (await create()).body;
  await call("GET", `allergies/${id}/`, { token });
  const entry = await db.first(sql`
    SELECT operation FROM audit_log WHERE ${patient} = ANY(patients) AND kind = 'read' ORDER BY occurred_date DESC LIMIT 1`);
  expect(entry).toEqual({ operation: "allergies.get" });
});
