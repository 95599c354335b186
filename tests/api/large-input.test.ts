// Bodies and records at their size limits: no request may block others for long.
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { toCsv } from "@/lib/platform/csv";
import { db, json as jsonb, sql } from "@/lib/platform/db/sql";
import { json, jsonOrMultipart } from "@/lib/platform/http/body";
import { decodeBase64 } from "@/lib/platform/storage/process-image";
import { type Basics, call, seedBasics, seedPatient } from "../support/api";

const TEXT = "a \n".repeat(33_000);

let basics: Basics;
let patient: number;
beforeAll(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled, "Ann Large");
});

const send = (path: string, body: unknown, method = "POST") => call(method, path, { token: basics.token, body });

function note(bullets: number) {
  const time = "2026-01-01T00:00:00Z";
  const dates = { chart_date: time, document_date: time };
  const bullet = { category: "Hpi", text: TEXT };
  const physician = basics.physicians.enabled;
  return { ...dates, patient, physician, template: "SOAP", bullets: Array(bullets).fill(bullet) };
}

describe("a body", () => {
  const anything = json(z.unknown());
  const read = (text: string) => {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
    return anything.read(request);
  };

  test("is rejected with the first problem if it has tens of thousands of wrong values", async () => {
    const grids = Array(40).fill({ results: Array(999).fill({}) });
    const { status, body } = await send("reports/", { grids });
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(1_000);
  });

  test("is rejected with all problems if it has a normal size", async () => {
    const { status, body } = await send("reports/", { grids: Array(20).fill({ results: [{}] }) });
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(["chart_date", "patient", "report_type"]));
    expect(body.grids).toHaveLength(20);
    expect(body.grids[19].results[0].value).toEqual(["This field is required."]);
  });

  test("may contain text of only quotes, brackets and backslashes", async () => {
    const text = '[{,"\\'.repeat(200_000);
    expect((await read(JSON.stringify({ text }))).value).toEqual({ text });
  });

  test("is rejected if an email address has millions of characters", async () => {
    const { status, body } = await send("service_locations/", { email: `a@${"a.".repeat(4_000_000)}` });
    expect([status, body.email]).toEqual([400, ["Must be an email address."]]);
  });

  test("may contain an image in base64 with a space after each character", () => {
    const bytes = Buffer.from("an image");
    const spaced = [...bytes.toString("base64")].join(" \n");
    expect(decodeBase64(`data:image/png;base64,${spaced}`, "image")).toEqual(bytes);
  });
});

describe("a form", () => {
  const reader = jsonOrMultipart({ schema: z.unknown(), fromForm: (fields) => fields });
  const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n';
  const read = (body: string, contentType: string) =>
    reader.read(new Request("http://localhost/", { method: "POST", headers: { "content-type": contentType }, body }));

  test("is split at the same boundary that is used to count its parts", async () => {
    expect((await read(`${part}--b--\r\n`, 'multipart/form-data; boundary="b"')).value).toEqual({ a: "x" });
    const many = `${part.repeat(150)}--b--\r\n`;
    await expect(read(many, "multipart/form-data; boundary=b")).rejects.toThrow("not valid");
    for (const other of ['x=";boundary=z"; boundary=b', 'boundary="\\b"', "x=1"]) {
      await expect(read(many, `multipart/form-data; ${other}`)).rejects.toMatchObject({ reason: "invalid_form" });
    }
  });

  test("is rejected if a part has long headers", async () => {
    const headed = part.replace("\r\n\r\n", `\r\n${"x-a: b\r\n".repeat(2_000)}\r\n`);
    await expect(read(`${headed}--b--\r\n`, "multipart/form-data; boundary=b")).rejects.toMatchObject({
      reason: "invalid_form",
    });
  });
});

describe("records", () => {
  test("are rejected if they have more than a million characters, and existing ones may not grow", async () => {
    const { status, body } = await send("visit_notes/", note(11));
    expect([status, body.non_field_errors?.[0]]).toEqual([400, expect.stringContaining("too large")]);
    const { id } = (await send("visit_notes/", note(1))).body;
    const data = jsonb({ ...note(20), signed_by: null, signed_date: null });
    await db.run(sql`UPDATE resource_record SET data = ${data} WHERE id = ${id}`);
    const comments = "b".repeat(3_000_000 / 30);
    const signature = { comments, role: "", signed_date: "2026-01-01T00:00:00Z", user: "", user_name: "" };
    expect((await send(`visit_notes/${id}/`, { signatures: [signature] }, "PATCH")).status).toBe(400);
    await call("DELETE", `visit_notes/${id}/`, { token: basics.token });
  });

  test("are paged a few at a time if they are large, each exactly once in every order", async () => {
    const { id: original } = (await send("visit_notes/", note(7))).body;
    const copies = await db.rows<{ id: number }>(sql`
      INSERT INTO resource_record (resource, practice_id, patient_id, data, created_date, modified_date)
      SELECT resource, practice_id, patient_id, data, now(), now() FROM resource_record, generate_series(1, 19)
      WHERE resource_record.id = ${original} RETURNING resource_record.id`);
    const ids = [original, ...copies.map(({ id }) => id)];
    const walk = async (first: string, direction: "next" | "previous") => {
      const pages: number[][] = [];
      for (let url: string | null = `visit_notes/?patient=${patient}&limit=100${first}`; url; ) {
        const { body } = await call("GET", url, { token: basics.token });
        pages.push(body.results.map(({ id }: { id: number }) => id));
        url = body[direction];
      }
      return pages;
    };
    for (const [query, order] of [
      ["&offset=0", ids],
      ["&order_by=-id", ids.toReversed()],
    ] as const) {
      const pages = await walk(query, "next");
      expect([query, pages.length > 1, pages.flat()]).toEqual([query, true, order]);
    }
    const first = await call("GET", `visit_notes/?patient=${patient}&limit=19&order_by=-id`, { token: basics.token });
    expect(first.body.next).not.toBeNull();
    const second = await call("GET", first.body.next, { token: basics.token });
    const back = await call("GET", second.body.previous, { token: basics.token });
    expect(back.body.results).toEqual(first.body.results);
  });

  test("are rejected if those of one thread are too large together", async () => {
    const at = "2026-01-01T00:00:00Z";
    const thread = { patient, practice: basics.enabled, chart_date: at, document_date: at };
    const staff = await db.first<{ user_id: number }>(sql`
      UPDATE physician SET user_id = 4711 WHERE id = ${basics.physicians.enabled} RETURNING user_id`);
    const message = (number: number) => ({ sender: staff?.user_id, send_date: at, body: `${number} ${TEXT}` });
    const { id } = (await send("message_threads/", { ...thread, messages: [message(0)] })).body;
    const add = (number: number) => send("thread_messages/", { ...message(number), thread: id });
    let number = 1;
    while ((await add(number)).status === 201) number++;
    const rejected = await add(number);
    expect([number, rejected.status, rejected.body]).toEqual([
      expect.any(Number),
      400,
      { thread: [expect.stringContaining("Is full")] },
    ]);
    const { body } = await call("GET", `message_threads/${id}/`, { token: basics.token });
    expect(body.messages).toHaveLength(number);
    const all = await send("message_threads/", {
      ...thread,
      messages: Array.from({ length: 12 }, (_, at) => message(at)),
    });
    expect([all.status, Object.keys(all.body)]).toEqual([400, ["messages"]]);
  });

  test("produce a document of the newest ones, with a notice, if they are large", async () => {
    const { status, body } = await call("GET", `ccda/${patient}/`, { token: basics.token });
    const xml = Buffer.from(body.base64_ccda, "base64").toString();
    expect([status, xml.length < 4_000_000]).toEqual([200, true]);
    expect(xml).toContain("Only the newest");
    expect(xml.split("<paragraph>").length).toBeLessThan(1_000);
  });

  test("such as thousands of vital signs produce a document of the newest ones", async () => {
    const person = await seedPatient(basics.enabled, basics.physicians.enabled, "Ann Measured");
    const sign = { systolic: "120", diastolic: "80" };
    const taking = { patient: person, practice: basics.enabled, bp: Array(1_000).fill(sign) };
    for (let count = 0; count < 3; count++) expect((await send("vitals/", taking)).status).toBe(201);
    const { body } = await call("GET", `ccda/${person}/?sections=vital_signs`, { token: basics.token });
    const xml = Buffer.from(body.base64_ccda, "base64").toString();
    expect(xml.split("<observation ").length - 1).toBe(5_000);
    expect(xml).toContain("Only the newest 5000 vital signs are shown.");
  });

  test("reject metadata of the size of a document", async () => {
    const metadata = { data: { a: "b".repeat(100_000) } };
    const { status, body } = await send(`patients/${patient}/`, { metadata }, "PATCH");
    expect([status, body]).toEqual([400, { metadata: { data: ["Must have at most 100000 characters as JSON."] } }]);
  });
});

test("an export of many records does not block other requests", async () => {
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  const rows = Array.from({ length: 100_000 }, (_, id) => id);
  const csv = await toCsv(rows, [["Id", (id) => id]]);
  clearInterval(other);
  expect([csv.split("\r\n").length, turns > 10]).toEqual([100_002, true]);
});
