// Resources that only the global scope opens: letters of patients with comments, referrals, fills and teams.
import { beforeAll, describe, expect, test } from "vitest";
import { UNSCOPED_RESOURCES } from "@/lib/access/identity/scopes";
import { call, seedPatient, seedPhysician, tokenFor } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { load } from "../support/reference-data";
import { SPECIFIED_SCOPES } from "../support/specified-scopes";

let { basics, token, patient, practice, physician, user, get, post, patch, create } = {} as PracticeClient;
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, user, get, post, patch, create } = await seedPracticeClient());
});

const idsOf = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id);
const text = (content: string) => Buffer.from(content).toString("base64");

test.each([...Object.keys(UNSCOPED_RESOURCES), "patient-provider-teams"])(
  "%s needs the global scope, even if a token has all others",
  async (name) => {
    const limited = await tokenFor({
      organizationId: basics.organization,
      practices: [practice],
      scopes: SPECIFIED_SCOPES,
    });
    const rejected = await get(`${name}/`, limited);
    expect([rejected.status, rejected.body]).toMatchObject([403, { code: "insufficient_scope" }]);
    expect(rejected.body.detail).toContain("apiv2");
    expect((await get(`${name}/`)).status).toBe(200);
  },
);

describe("a patient letter", () => {
  const letterBody = (fields: object = {}) => ({ patient, practice, subject: "Your results", ...fields });

  test("is addressed to the patient unless the patient wrote it", async () => {
    const sent = await post("patient_letters/", letterBody());
    expect([sent.status, sent.body]).toMatchObject([
      201,
      { letter_type: "patient", send_to_patient: true, category: null },
    ]);
    expect(sent.body.document_date).toMatch(/^\d{4}-/);
    const received = await post("patient_letters/", letterBody({ is_patient_initiated: true, category: 1 }));
    expect(received.body).toMatchObject({ send_to_patient: false, is_patient_initiated: true, category: null });
  });

  test("is unread until its recipient has read it", async () => {
    const toPatient = await create("patient_letters/", letterBody());
    const toPractice = await create("patient_letters/", letterBody({ is_patient_initiated: true }));
    const unread = async (value: boolean) => idsOf((await get(`patient_letters/?unread=${value}&limit=100`)).body);
    expect(await unread(true)).toEqual(expect.arrayContaining([toPatient, toPractice]));
    await patch(`patient_letters/${toPatient}/`, { patient_read_time: "2026-01-05T09:00:00Z" });
    await patch(`patient_letters/${toPractice}/`, { patient_read_time: "2026-01-05T09:00:00Z" });
    expect(await unread(true)).not.toContain(toPatient);
    expect(await unread(true)).toContain(toPractice);
    await patch(`patient_letters/${toPractice}/`, { viewed_at: "2026-01-05T09:00:00Z" });
    expect(await unread(false)).toEqual(expect.arrayContaining([toPatient, toPractice]));
  });

  test("keeps its files when they are sent back as responses show them, and shows a link to each", async () => {
    const file = { original_filename: "plan.txt", content_type: "text/plain", base64_content: text("Rest.") };
    const created = (await post("patient_letters/", letterBody({ files: [file] }))).body;
    expect(created.files).toMatchObject([{ original_filename: "plan.txt", content_type: "text/plain" }]);
    const download = await call("GET", created.files[0].document);
    expect(Buffer.from(download.body).toString()).toBe("Rest.");
    const added = { ...file, original_filename: "more.txt", base64_content: text("Drink.") };
    const path = `patient_letters/${created.id}/`;
    const both = (await patch(path, { files: [...created.files, added] })).body.files;
    expect(both.map(({ id }: { id: number }) => id)).toEqual([created.files[0].id, expect.any(Number)]);
    expect((await patch(path, { subject: "Plan" })).body.files).toHaveLength(2);
    expect((await patch(path, { files: null })).body.files).toBeNull();
  });

  test("is signed only once", async () => {
    const id = await create("patient_letters/", letterBody({ signed_by: physician }));
    const again = await patch(`patient_letters/${id}/`, { signed_by: null });
    expect([again.status, again.body.code]).toEqual([422, "already_signed"]);
  });

  test("has categories of the practice, loaded from files, and shared ones", async () => {
    await load("patient_letter_categories", [{ key: "refill", text: "Refill request", role: "Staff" }]);
    await load("patient_letter_categories", [{ key: "own", text: "Ours" }], { practiceId: practice });
    await load("patient_letter_categories", [{ key: "other", text: "Theirs" }], { practiceId: basics.foreign });
    const { results } = (await get("patient_letter_categories/")).body;
    expect(results).toEqual([
      { id: expect.any(Number), key: "refill", text: "Refill request", role: "Staff" },
      { id: expect.any(Number), key: "own", text: "Ours" },
    ]);
    expect((await get(`patient_letter_categories/${results[0].id}/`)).body).toEqual(results[0]);
  });

  test("has comments of staff, whose author responses leave out", async () => {
    const letter = await create("patient_letters/", letterBody());
    const comments = `patient-letters/${letter}/comments/`;
    const created = await post(comments, { author: user, message: "Please call" });
    const shown = { id: created.body.id, letter, message: "Please call", practice, create_date: expect.any(String) };
    expect([created.status, created.body]).toEqual([201, shown]);
    expect((await get(comments)).body.results).toEqual([shown]);
    expect(created.headers.get("location")).toContain(`/api/2.0/${comments}${created.body.id}/`);
    const another = await create("patient_letters/", letterBody());
    expect((await get(`patient-letters/${another}/comments/${created.body.id}/`)).status).toBe(404);
    expect((await post(comments, { author: 999_999 })).body).toHaveProperty("author");
    expect((await call("DELETE", `${comments}${created.body.id}/`, { token })).status).toBe(204);
    expect((await get(`${comments}${created.body.id}/`)).status).toBe(404);
  });
});

describe("a referral order", () => {
  const orderBody = () => ({
    patient,
    practice,
    auth_number: null,
    consultant_name: "Ines Moor, MD",
    date_for_reEval: "2026-03-01",
    short_consultant_name: "Moor",
    specialty: { abbreviation: "CARD", name: "Cardiology" },
  });

  test("shows the latest letter that names it, and its signature", async () => {
    const { status, body } = await post("referral_orders/", orderBody());
    expect([status, body]).toMatchObject([201, { consultant_name: "Ines Moor, MD", sign_date: null }]);
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["letter"]));
    const contact = {
      practice,
      contact_type: "Doctor",
      credentials: "MD",
      first_name: "Ines",
      last_name: "Moor",
      middle_name: "",
    };
    const send_to_contact = { id: await create("contacts/", contact) };
    const letter = { patient, practice, send_to_contact, referral_order: body.id, body: "Please see Maria." };
    await create("letters/", { ...letter, body: "Draft" });
    const id = await create("letters/", { ...letter, signed_by: physician });
    const signed = (await get(`referral_orders/${body.id}/`)).body;
    expect(signed).toMatchObject({
      letter: id,
      referral_letter: { id, body: "Please see Maria.", delivery_date: null, sign_date: expect.any(String) },
      signed_by: physician,
    });
    expect(signed.sign_date).toBe(signed.referral_letter.sign_date);
  });

  test("must be of the patient of the letter", async () => {
    const other = await seedPatient(practice, physician, "Ben Ito");
    const order = await create("referral_orders/", { ...orderBody(), patient: other });
    const rejected = await post("letters/", { patient, practice, send_to_contact: { id: 1 }, referral_order: order });
    expect([rejected.status, rejected.body]).toEqual([
      400,
      { referral_order: [`Belongs to another patient: referral_orders ${order}.`] },
    ]);
  });
});

test("fills are loaded from files, and filtered by day and status", async () => {
  const medication_order = await create("medications/", {
    patient,
    practice,
    prescribing_physician: physician,
    auth_refills: null,
    icd10_codes: [],
    is_doc_med: false,
    medication: { name: "Lisinopril 10 mg" },
    medication_type: "prescription",
    order_type: "New",
    qty: "30",
    qty_units: "TABLET",
    start_date: "2026-01-05",
    thread: { is_permanent: true },
  });
  const fill = { patient, medication_order, pharmacy_ncpdpid: "2010042", fill_status: "AH" };
  const rows = [
    { ...fill, external_id: "1", fill_date: "2026-01-05", note_from_pharmacy: "Picked up" },
    { ...fill, external_id: "2", fill_status: "AJ" },
  ];
  expect(await load("prescription_fills", rows, { practiceId: practice })).toMatchObject({ created: 2, rejected: 0 });
  const found = async (query: string) =>
    (await get(`prescription_fills/?${query}`)).body.results.map((one: { fill_status: string }) => one.fill_status);
  expect(await found(`patient=${patient}`)).toEqual(["AH", "AJ"]);
  expect(await found("fill_date__isnull=true")).toEqual(["AJ"]);
  expect(await found("fill_date__gte=2026-01-05&fill_date__lte=2026-01-05")).toEqual(["AH"]);
  expect(await found("fill_status=AJ&fill_status=AK")).toEqual(["AJ"]);
});

describe("teams", () => {
  test("have the ID of their patient, with or without members", async () => {
    const other = await seedPatient(practice, physician, "Ben Ito");
    const colleague = await seedPhysician(practice);
    const member = { patient_provider_team_id: patient, physician_id: colleague };
    const added = await post("patient-provider-team-members/", member);
    expect(added.status).toBe(201);
    const team = { patient_id: patient, patient_provider_team_id: patient, team_members: [added.body] };
    const empty = { patient_id: other, patient_provider_team_id: other, team_members: [] };
    expect((await get("patient-provider-teams/?limit=100")).body.results).toEqual(
      expect.arrayContaining([team, empty]),
    );
    expect((await get(`patient-provider-teams/${patient}/`)).body).toEqual(team);
    expect((await get(`patient-provider-teams/${patient}/team_members/`)).body).toEqual(team);
    expect((await get(`patients/${patient}/patient_provider_team/`)).body).toEqual(team);
  });
});
