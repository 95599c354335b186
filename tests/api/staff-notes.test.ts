// Notes on policies: who changes them, what the history keeps, and that nothing outside the staff pages shows them.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { until } from "../support/decoders";
import { asOwner, owner } from "../support/owner";
import { type SignedIn, type StaffCallOptions, signInAs, staffCallAs } from "../support/staff";
import { expectStoresAgree } from "../support/stores";

const SECRET = "Called Aetna 11/3, rep said copay waived";

let basics: Basics;
let staff: SignedIn;
let viewer: SignedIn;
let patient: number;
let policy: { id: number; version: number };
beforeAll(async () => {
  basics = await seedBasics();
  staff = await signInAs("staff", [basics.enabled]);
  viewer = await signInAs("viewer", [basics.enabled]);
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const body = { ...MARIA, rank: 1, member_id: "A1" };
  policy = (await call("POST", `patients/${patient}/policies`, { token: basics.token, body })).body;
});

const patientPath = () => `practices/${basics.enabled}/patients/${patient}`;
const policyPath = () => `${patientPath()}/policies/${policy.id}`;
const notesPath = (note = "") => `${policyPath()}/notes${note && `/${note}`}`;
const reason = (text: string, ifMatch?: string) => ({
  "x-change-reason": text,
  ...(ifMatch && { "if-match": ifMatch }),
});
const send = (method: string, note: string, options: StaffCallOptions, who = staff) =>
  staffCallAs(who, method, notesPath(note), options);
const add = async (text: string, headers = {}) =>
  (await send("POST", "", { body: { text }, headers })).body.notes[0] as { id: string; version: number };
const changes = async () => (await staffCallAs(viewer, "GET", notesPath())).body.changes;

describe("a note", () => {
  test("is shown on the policy and on the patient's page, with who wrote it", async () => {
    const { status, body } = await send("POST", "", { body: { text: `  ${SECRET}\n` } });
    const note = {
      id: expect.any(String),
      version: 1,
      text: SECRET,
      by: "Robin staff",
      changed_date: expect.any(String),
    };
    expect([status, body]).toEqual([200, { notes: [note] }]);
    expect((await staffCallAs(viewer, "GET", policyPath())).body.notes).toEqual([note]);
    const page = (await staffCallAs(viewer, "GET", patientPath())).body;
    expect(page.policies[0].notes).toEqual([note]);
  });

  test("keeps every change with who, when, from where and why", async () => {
    const { id } = await add(SECRET);
    await send("PUT", id, { body: { text: "Copay waived" }, headers: reason("Shorter", '"1"') });
    const deleted = await send("DELETE", id, { headers: reason("Not true", '"2"') });
    expect([deleted.status, deleted.body]).toEqual([200, { notes: [] }]);
    const common = { by: "Robin staff", source: "staff", note_id: id, occurred_date: expect.stringMatching(/Z$/) };
    expect(await changes()).toMatchObject([
      { ...common, version: 3, kind: "deleted", text: "Copay waived", before: "Copay waived", reason: "Not true" },
      { ...common, version: 2, kind: "edited", text: "Copay waived", before: SECRET, reason: "Shorter" },
      { ...common, version: 1, kind: "added", text: SECRET, before: null, reason: null },
    ]);
    expect((await send("PUT", id, { body: { text: "again" } })).status).toBe(404);
  });

  test("saved without a change adds nothing to the history", async () => {
    const { id } = await add(SECRET);
    expect((await send("PUT", id, { body: { text: SECRET } })).status).toBe(200);
    expect(await changes()).toHaveLength(1);
  });

  test("can be neither changed nor deleted in the database, except with its policy", async () => {
    await add(SECRET);
    for (const change of [
      sql`UPDATE policy_note_change SET text = '' WHERE policy_id = ${policy.id}`,
      sql`DELETE FROM policy_note_change WHERE policy_id = ${policy.id}`,
    ]) {
      await expect(db.run(change)).rejects.toThrow();
      await expect(owner.run(change)).rejects.toThrow(/append-only/);
    }
    const path = `patients/${patient}/policies/${policy.id}`;
    await call("DELETE", path, { token: basics.token });
    expect((await call("DELETE", `${path}?permanent=true`, { token: basics.token })).status).toBe(204);
    expect(await db.rows(sql`SELECT FROM policy_note_change WHERE patient_id = ${patient}`)).toEqual([]);
    expect((await staffCallAs(viewer, "GET", notesPath())).status).toBe(410);
  });
});

test("of two users who edit a note at once, one gets 412", async () => {
  const { id } = await add(SECRET);
  const edits = await Promise.all(
    ["One", "Two"].map((text) => send("PUT", id, { body: { text }, headers: { "if-match": '"1"' } })),
  );
  expect(edits.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(await changes()).toHaveLength(2);
});

test("a policy has at most 100 notes, also if two users add one at once", async () => {
  await db.run(sql`
    INSERT INTO policy_note_change (note_id, version, policy_id, patient_id, practice_id, kind, text, actor, source, occurred_date)
    SELECT gen_random_uuid(), 1, ${policy.id}, ${patient}, ${basics.enabled}, 'added', 'Note ' || n, '{}', 'staff', now()
    FROM generate_series(1, 99) n`);
  let adding = Promise.resolve<Awaited<ReturnType<typeof send>>[]>([]);
  await asOwner(async (tx) => {
    // Reads go on, and both requests wait before either has added its note.
    await tx.run(sql`LOCK TABLE policy_note_change IN SHARE MODE`);
    adding = Promise.all(["One", "Two"].map((text) => send("POST", "", { body: { text } })));
    await until(async () => {
      const { waiting } = await db.one<{ waiting: number }>(sql`
        SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return waiting === 2;
    });
  });
  const added = await adding;
  expect(added.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(added.find(({ status }) => status === 422)?.body.code).toBe("too_many_notes");
  expect((await staffCallAs(viewer, "GET", policyPath())).body.notes).toHaveLength(100);
});

describe("the policy", () => {
  test("stays as it was for API clients: its version, body, versions, legacy record and webhooks", async () => {
    const { token } = basics;
    const path = `patients/${patient}/policies/${policy.id}`;
    const read = async () =>
      Promise.all(
        [path, `${path}/versions`, `${path}/versions/1`, `patients/${patient}/`, `patients/${patient}/policies`].map(
          async (at) => (await call("GET", at, { token })).body,
        ),
      );
    const events = () => db.one<{ count: number }>(sql`SELECT count(*) AS count FROM published_event`);
    const [before, published] = [await read(), await events()];
    const { id } = await add(SECRET);
    await send("PUT", id, { body: { text: "Copay waived" } });
    // Links to images and the like change with each read, but a new policy has none.
    expect(await read()).toEqual(before);
    expect(JSON.stringify(before)).not.toMatch(/note_id|Aetna/);
    expect(await events()).toEqual(published);
    const change = await call("PATCH", path, { token, body: { copay: "20" }, headers: { "if-match": '"1"' } });
    expect([change.status, change.body.version]).toEqual([200, 2]);
    await expectStoresAgree(patient);
  });

  test("keeps its notes when it is changed, archived and restored", async () => {
    await add(SECRET);
    const { token } = basics;
    const path = `patients/${patient}/policies/${policy.id}`;
    await call("PATCH", path, { token, body: { copay: "20" } });
    await call("DELETE", path, { token });
    await call("POST", `${path}/restore`, { token, body: {} });
    expect((await staffCallAs(viewer, "GET", policyPath())).body.notes).toMatchObject([{ text: SECRET }]);
  });
});

test.each([
  ["an empty note", { text: " \n " }, "text"],
  ["a long note", { text: "x".repeat(2_001) }, "text"],
  ["a missing text", {}, "text"],
  ["an unknown field", { text: "a", color: "red" }, "color"],
])("%s is rejected", async (_what, body, field) => {
  const response = await send("POST", "", { body });
  expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
});

test("a text of 2,000 characters is saved", async () => {
  expect((await send("POST", "", { body: { text: "é😀".repeat(1_000) } })).status).toBe(200);
});

describe("rights", () => {
  test("viewers read, and may not write", async () => {
    const { id } = await add(SECRET);
    for (const [method, note] of [
      ["POST", ""],
      ["PUT", id],
      ["DELETE", id],
    ] as const) {
      const options = method === "DELETE" ? {} : { body: { text: "x" } };
      expect([method, (await send(method, note, options, viewer)).status]).toEqual([method, 403]);
    }
    expect(await changes()).toHaveLength(1);
  });

  test("edits and deletions need the version that the user saw", async () => {
    const { id } = await add(SECRET);
    expect((await send("PUT", id, { body: { text: "x" }, unversioned: true })).status).toBe(428);
    expect((await send("DELETE", id, { unversioned: true })).status).toBe(428);
  });

  test("a note is found only below its own policy and practice", async () => {
    const { id } = await add(SECRET);
    const elsewhere = await signInAs("staff", [basics.disabled]);
    expect((await send("PUT", id, { body: { text: "x" } }, elsewhere)).status).toBe(404);
    const body = { ...MARIA, rank: 2 };
    const other = await call("POST", `patients/${patient}/policies`, { token: basics.token, body });
    const path = `${patientPath()}/policies/${other.body.id}/notes/${id}`;
    expect((await staffCallAs(staff, "PUT", path, { body: { text: "x" } })).status).toBe(404);
    expect((await staffCallAs(staff, "PUT", notesPath("not-a-note"), { body: { text: "x" } })).status).toBe(404);
  });

  test("each change is audited, without the text", async () => {
    await add(SECRET, { "x-request-id": "note-audit-1" });
    const [entry, ...others] = await db.rows(sql`
      SELECT kind, operation, to_json(patients) AS patients FROM audit_log WHERE request_id = 'note-audit-1'`);
    expect([entry, others]).toEqual([{ kind: "change", operation: "staff.notes.add", patients: [patient] }, []]);
  });
});
