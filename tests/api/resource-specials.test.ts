// Behavior of resources beyond storage: signatures, conversations, files, bills that follow their note, the end of a thread.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { absentRecords } from "@/lib/platform/errors";
import { call, seedPatient, seedPhysician, tokenFor } from "../support/api";
import { pngImage } from "../support/images";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { basics, token, patient, practice, physician, user, get, post, patch, create } = {} as PracticeClient;
let image: string;
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, user, get, post, patch, create } = await seedPracticeClient());
  image = (await pngImage(3)).toString("base64");
});

const at = "2026-01-05T09:00:00.000Z";

const noteBody = (fields: object = {}) => ({
  patient,
  physician,
  chart_date: at,
  document_date: at,
  template: "SOAP",
  ...fields,
  bullets: [{ category: "Problem", text: "Cough" }],
});
const reportBody = (fields: object = {}) => ({
  patient,
  practice,
  physician,
  chart_date: at,
  document_date: at,
  report_type: "Lab",
  ...fields,
});

describe("a visit note", () => {
  test("is signed only once, by a physician of the practice, at the current time by default", async () => {
    const id = await create("visit_notes/", noteBody());
    const foreign = await patch(`visit_notes/${id}/`, { signed_by: basics.physicians.foreign });
    expect([foreign.status, Object.keys(foreign.body)]).toEqual([400, ["signed_by"]]);
    expect((await patch(`visit_notes/${id}/`, { signed_date: at })).status).toBe(400);
    const signed = await patch(`visit_notes/${id}/`, { signed_by: physician });
    expect(signed.body).toEqual({ id, signed_by: physician, signed_date: expect.stringMatching(/^\d{4}-/) });
    const again = await patch(`visit_notes/${id}/`, { signed_by: null });
    expect([again.status, again.body.code]).toEqual([422, "already_signed"]);
    const unsigned = await get(`visit_notes/?unsigned=true&patient=${patient}`);
    expect(unsigned.body.results.map((one: { id: number }) => one.id)).not.toContain(id);
  });

  test("is unchanged by PUT, except for its signatures", async () => {
    const id = await create("visit_notes/", noteBody());
    await patch(`visit_notes/${id}/`, { bullets: [], confidential: true });
    expect((await get(`visit_notes/${id}/`)).body).toMatchObject({ confidential: false, bullets: [{ text: "Cough" }] });
  });
});

test("requires system/visit_notes.write in addition to the document's scope for any signature", async () => {
  const id = await create("reports/", reportBody());
  const form = { organizationId: basics.organization, practices: [practice] };
  const without = await tokenFor({ ...form, scopes: ["system/reports.write"] });
  expect((await patch(`reports/${id}/`, { is_urgent: true }, without)).status).toBe(200);
  const rejected = await patch(`reports/${id}/`, { signed_by: physician }, without);
  expect([rejected.status, rejected.body.code]).toEqual([403, "insufficient_scope"]);
  expect(rejected.body.detail).toContain("system/visit_notes.write");
  const both = await tokenFor({ ...form, scopes: ["system/reports.write", "system/visit_notes.write"] });
  expect((await patch(`reports/${id}/`, { signed_by: physician }, both)).status).toBe(200);
});

describe("a message thread", () => {
  const threadBody = (fields: object) => ({ patient, practice, chart_date: at, document_date: at, ...fields });

  test("has members and messages as separate records, which are deleted with it", async () => {
    const messages = [{ sender: user, send_date: at, body: "Please call." }];
    const id = await create(
      "message_threads/",
      threadBody({ members: [{ user, status: "Requiring Action" }], messages }),
    );
    const members = await get(`thread_members/?thread=${id}`);
    expect(members.body.results).toMatchObject([{ user, thread: id, status: "Requiring Action" }]);
    const another = await post("thread_messages/", { thread: id, sender: user, send_date: at, body: "Done." });
    expect(another.body).toMatchObject({ patient, practice, thread: id });
    const read = await get(`message_threads/${id}/`);
    expect(read.body.messages.map((one: { body: string }) => one.body)).toEqual(["Please call.", "Done."]);

    const changed = await patch(`message_threads/${id}/`, { members: [{ user, status: "Addressed" }] });
    expect(changed.body.members).toMatchObject([{ id: members.body.results[0].id, status: "Addressed" }]);
    expect((await call("DELETE", `message_threads/${id}/`, { token })).status).toBe(204);
    expect((await get(`thread_messages/?patient=${patient}`)).body.results).toEqual([]);
    expect((await get(`thread_members/${members.body.results[0].id}/`)).status).toBe(404);
  });

  test("is rejected with the entry of an unknown member, and not stored", async () => {
    const before = await get("message_threads/?offset=0");
    const rejected = await post(
      "message_threads/",
      threadBody({
        members: [
          { user, status: "Addressed" },
          { user: 999, status: "Addressed" },
        ],
      }),
    );
    expect([rejected.status, rejected.body]).toEqual([400, { members: [{}, { user: [expect.any(String)] }] }]);
    expect((await get("message_threads/?offset=0")).body.count).toBe(before.body.count);
  });

  test("accepts no message from another practice", async () => {
    const foreign = await seedPatient(basics.foreign, basics.physicians.foreign);
    const theirs = await post(
      "message_threads/",
      { ...threadBody({}), patient: foreign, practice: basics.foreign },
      basics.stranger,
    );
    for (const thread of [theirs.body.id, 999_999_999]) {
      const rejected = await post("thread_messages/", { thread, sender: user, send_date: at, body: "x" });
      expect([rejected.status, rejected.body]).toEqual([400, { thread: absentRecords(thread) }]);
    }
  });
});

describe("a report", () => {
  test("stores the bytes of its files, and sends them to clients with access or with a signed link", async () => {
    const file = { base64_content: image, content_type: "image/png", original_filename: "scän.png" };
    const id = await create("reports/", reportBody({ files: [file] }));
    const [listed] = (await get(`reports/${id}/files/`)).body;
    expect(listed).toMatchObject({ content_type: "image/png", original_filename: "scän.png" });
    const path = `reports/${id}/files/${listed.id}/`;
    const bytes = await call("GET", path, { token });
    expect(bytes.headers.get("content-type")).toBe("image/png");
    expect(bytes.headers.get("content-disposition")).toContain("filename*=UTF-8''sc%C3%A4n.png");
    expect((await get(path, basics.stranger)).status).toBe(404);
    const { document } = (await get(`reports/${id}/`)).body.files[0];
    const link = new URL(document);
    const open = await call("GET", `${link.pathname.replace("/api/2.0/", "")}${link.search}`);
    expect([open.status, open.headers.get("content-type")]).toEqual([200, "image/png"]);
    link.searchParams.set("signature", "x");
    expect((await call("GET", `${link.pathname.replace("/api/2.0/", "")}${link.search}`)).status).toBe(404);
  });

  test("has internal notes of the practice, each only below its report", async () => {
    const [id, other] = [await create("reports/", reportBody()), await create("reports/", reportBody())];
    const note = await post(`reports/${id}/internal_notes/`, { text: "Ask again" });
    expect([note.status, note.body]).toEqual([201, { id: expect.any(Number), document: id, text: "Ask again" }]);
    const path = `reports/${id}/internal_notes/${note.body.id}/`;
    expect((await get(`reports/${other}/internal_notes/${note.body.id}/`)).status).toBe(404);
    expect((await get(path, basics.stranger)).status).toBe(404);
    expect((await patch(path, { text: "Asked" })).body.text).toBe("Asked");
    expect((await call("DELETE", path, { token })).status).toBe(204);
    expect((await get(`reports/${id}/internal_notes/`)).body).toEqual([]);
  });

  test("is routed to a person only once, and the routing can be reversed", async () => {
    const id = await create("reports/", reportBody());
    expect((await post(`reports/${id}/delegates/`, {})).status).toBe(400);
    expect((await post(`reports/${id}/delegates/`, { user })).status).toBe(201);
    const twice = await Promise.all([1, 2, 3].map(() => post(`reports/${id}/delegates/`, { user })));
    expect(twice.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect((await get(`reports/${id}/`)).body.routed_document_delegates).toMatchObject([{ user, group: null }]);
    const remove = () => call("DELETE", `reports/${id}/delegates/`, { token, body: { user } });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  });
});

test("incoming files are filed as a patient's report", async () => {
  const sent = { group_name: "Fax", practice, images: [{ base64_content: image, content_type: "image/png" }] };
  const files = [
    { base64_content: Buffer.from("%PDF-1.4").toString("base64"), content_type: "application/pdf", filename: "a.pdf" },
  ];
  const group = await post("incoming_files/", { ...sent, files });
  expect(group.body).toMatchObject({ process_state: "complete", page_count: 1, images: [{ width: 32, height: 20 }] });
  expect(JSON.stringify(group.body)).not.toContain("base64_content");
  const page = await call("GET", `incoming_files/${group.body.id}/images/${group.body.images[0].id}/?size=print`, {
    token,
  });
  expect(page.headers.get("content-type")).toBe("image/png");
  const damaged = await post("incoming_files/", {
    ...sent,
    images: [...sent.images, { base64_content: "AAAA", content_type: "image/png" }],
  });
  expect([damaged.status, damaged.body]).toEqual([400, { images: [{}, { base64_content: [expect.any(String)] }] }]);

  const filing = { files: [group.body.files[0].id], document_type: "Consultation", reviewer_user: user };
  const filed = await post(`patients/${patient}/incoming_files/`, filing);
  expect(filed.status).toBe(201);
  const report = await get(new URL(filed.headers.get("location") ?? "").pathname.replace("/api/2.0/", ""));
  expect(report.body).toMatchObject({ report_type: "Consultation", files: [{ original_filename: "a.pdf" }] });
  expect((await post(`patients/${patient}/incoming_files/`, { ...filing, files: [999_999] })).body).toHaveProperty(
    "files",
  );
  expect(
    (await post(`patients/${patient}/incoming_files/`, { ...filing, document_tags: ["None"] })).body,
  ).toHaveProperty("document_tags");
});

test("a patient has one photo and one balance under concurrent writes", async () => {
  const photo = { base_64: image, original_filename: "a.png", patient, practice };
  expect((await get(`patients/${patient}/profile_image/`)).status).toBe(404);
  const responses = await Promise.all([1, 2, 3, 4].map(() => post(`patients/${patient}/profile_image/`, photo)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await get(`patients/${patient}/get_photo/`)).body).toMatchObject({ content_type: "image/png", width: 32 });
  expect((await post(`patients/${patient}/profile_image/`, { ...photo, base_64: "AAAA" })).body).toHaveProperty(
    "base_64",
  );
  const balances = await Promise.all(
    ["1.00", "2.50"].map((balance) => post(`patients/${patient}/outstanding_balance/`, { balance })),
  );
  expect(balances.map(({ body }) => body.balance).sort()).toEqual(["1.00", "2.50"]);
  const kept = await db.first<{ photos: number; balances: number }>(sql`
    SELECT count(*) FILTER (WHERE resource = 'patient_photos') AS photos,
      count(*) FILTER (WHERE resource = 'patient_balances') AS balances
    FROM resource_record WHERE patient_id = ${patient} AND deleted_date IS NULL`);
  expect(kept).toEqual({ photos: 1, balances: 1 });
  expect((await call("DELETE", `patients/${patient}/profile_image/`, { token })).status).toBe(204);
});

test("a patient's team has its members in order, each once", async () => {
  const second = await seedPhysician(practice);
  const team = { patient_provider_team_id: patient };
  const ranks = [];
  for (const physician_id of [physician, second]) {
    ranks.push((await post("patient-provider-team-members/", { ...team, physician_id })).body.rank);
  }
  expect(ranks).toEqual([1, 2]);
  expect((await post("patient-provider-team-members/", { ...team, physician_id: second })).status).toBe(400);
  const { body } = await get(`patients/${patient}/patient_provider_team/`);
  expect(body.team_members.map((one: { physician_id: number }) => one.physician_id)).toEqual([physician, second]);
  expect((await get(`patients/${patient}/patient_provider_team/`, basics.stranger)).status).toBe(404);
});

describe("a bill", () => {
  const place = () => create("service_locations/", { practice, name: "Main", address_line1: "1 Main St", state: "MA" });
  const billBody = (visit_note: number, service_location: number) => ({
    patient,
    practice,
    physician,
    visit_note,
    service_location,
    payment_amount: "20.00",
    cpts: [{ cpt: "99213", dxs: [{ icd10_code: "R05" }], unit_charge: "85.00", units: "1", modifier_1: "25" }],
  });

  test("follows its visit note: the service date, the signer, and the deletion", async () => {
    await post("billing_codes/", { practice, code: "99213", description: "Office visit" });
    const note = await create("visit_notes/", noteBody());
    const id = await create("bills/", billBody(note, await place()));
    const before = (await get(`bills/${id}/`)).body;
    expect(before).toMatchObject({ service_date: at, visit_note_signed_date: null, billing_status: "Unbilled" });
    expect(before.cpts).toMatchObject([{ description: "Office visit", dxs: ["R05"], modifiers: ["25"] }]);
    await patch(`visit_notes/${note}/`, { signed_by: physician, signed_date: at });
    expect(
      (await get(`bills/?signing_physician=${physician}`)).body.results.map((one: { id: number }) => one.id),
    ).toContain(id);
    await call("DELETE", `visit_notes/${note}/`, { token });
    expect((await get(`bills/${id}/`)).body).toMatchObject({
      visit_note_signed_date: at,
      visit_note_deleted_date: expect.any(String),
    });
    const next = await create("visit_notes/", noteBody({ document_date: "2026-01-06T09:00:00.000Z" }));
    await patch(`bills/${id}/`, { visit_note: next });
    expect((await get(`bills/${id}/`)).body).toMatchObject({
      visit_note_id: next,
      service_date: "2026-01-06T09:00:00.000Z",
      visit_note_signed_date: null,
      visit_note_deleted_date: null,
    });
  });

  test("is billed, fails, is fixed, and is released after being deferred", async () => {
    const id = await create("bills/", billBody(await create("visit_notes/", noteBody()), await place()));
    const status = async () => (await get(`bills/${id}/`)).body.billing_status;
    await patch(`bills/${id}/`, { billing_error: "No such payer" });
    expect(await status()).toBe("UnresolvedError");
    await patch(`bills/${id}/`, { billing_error: null });
    expect(await status()).toBe("ResolvedError");
    await patch(`bills/${id}/`, { billing_date: at });
    expect(await status()).toBe("Billed");
    await db.run(sql`UPDATE resource_record SET data = data || '{"deferred_bill": true}' WHERE id = ${id}`);
    const released = await call("PATCH", `bills/${id}/actions/release-to-pms/`, { token });
    expect([released.status, (await get(`bills/${id}/`)).body.deferred_bill]).toEqual([200, false]);
    const other = await seedPatient(practice, physician, "Ben Ito");
    const theirs = await create("visit_notes/", noteBody({ patient: other }));
    expect((await post("bills/", billBody(theirs, await place()))).body).toHaveProperty("visit_note");
  });
});

describe("a medication thread", () => {
  const orderBody = (fields: object = {}) => ({
    patient,
    practice,
    prescribing_physician: physician,
    auth_refills: 1,
    icd10_codes: [],
    is_doc_med: true,
    medication: { name: "lisinopril" },
    medication_type: "prescription",
    order_type: "New",
    qty: "30",
    qty_units: "BOTTLE",
    start_date: "2026-01-01",
    thread: { is_permanent: false },
    ...fields,
  });

  test("is discontinued with its order, until the discontinuation is reversed", async () => {
    const sent = await post("medications/", orderBody());
    expect([sent.status, sent.body.thread]).toEqual([201, { id: sent.body.id, is_permanent: false, dc_date: null }]);
    const listed = async (discontinued: boolean) =>
      (await get(`medications/?patient=${patient}&discontinued=${discontinued}`)).body.results.map(
        (one: { id: number }) => one.id,
      );
    const end = await post("discontinued_medications/", { med_order: sent.body.id, discontinue_date: "2026-02-01" });
    expect(end.body).toMatchObject({
      patient,
      practice,
      prescribing_physician: physician,
      medication: { name: "lisinopril" },
    });
    expect([await listed(true), await listed(false)]).toEqual([[sent.body.id], []]);
    await call("DELETE", `discontinued_medications/${end.body.id}/`, { token });
    expect([await listed(true), await listed(false)]).toEqual([[], [sent.body.id]]);
  });

  test("is the same in all its orders, whichever order is written", async () => {
    const first = await create("medications/", orderBody({ thread: { is_permanent: true } }));
    const refill = await create(
      "medications/",
      orderBody({ order_type: "Refill", thread: { id: first, is_permanent: false } }),
    );
    const threads = async () => [
      (await get(`medications/${first}/`)).body.thread,
      (await get(`medications/${refill}/`)).body.thread,
    ];
    const stands = (dc_date: string | null) => Array(2).fill({ id: first, is_permanent: false, dc_date });
    expect(await threads()).toEqual(stands(null));
    const end = await create("discontinued_medications/", { med_order: refill, discontinue_date: "2026-02-01" });
    expect(await threads()).toEqual(stands("2026-02-01"));
    const again = await create("discontinued_medications/", { med_order: first, discontinue_date: "2026-03-01" });
    expect(await threads()).toEqual(stands("2026-03-01"));
    await call("DELETE", `discontinued_medications/${again}/`, { token });
    expect(await threads()).toEqual(stands("2026-02-01"));
    const resumed = await create(
      "medications/",
      orderBody({ order_type: "Refill", thread: { id: first, is_permanent: false } }),
    );
    expect(await threads()).toEqual(stands(null));
    await call("DELETE", `medications/${resumed}/`, { token });
    expect(await threads()).toEqual(stands("2026-02-01"));
    await call("DELETE", `discontinued_medications/${end}/`, { token });
    expect(await threads()).toEqual(stands(null));
  });
});

test("a handout's bytes are in its own response, but not in lists", async () => {
  const content = { base64_content: image, original_filename: "flu.png" };
  const id = await create("handouts/", {
    practice_created: practice,
    name: "Flu",
    type: "VIS",
    content,
    tags: ["flu", "winter"],
  });
  expect((await get(`handouts/${id}/`)).body.content).toEqual({ ...content, content_type: "image/png" });
  expect((await get("handouts/?tags=winter")).body.results).toMatchObject([
    { id, content: { content_type: "image/png", original_filename: "flu.png" } },
  ]);
  expect((await get("handouts/?tags=winter")).body.results[0].content).not.toHaveProperty("base64_content");
  expect((await get("handouts/?tags=summer")).body.results).toEqual([]);
});
