// Printable documents for patients: reports, laboratory orders and visits as PDF.
import { beforeAll, describe, expect, test } from "vitest";
import { db, json, sql } from "@/lib/platform/db/sql";
import { fileResponse } from "@/lib/platform/http/response";
import { documentQueue } from "@/lib/platform/jobs/render-document";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "../support/api";
import { type SeededChart, seedChart } from "../support/chart";
import { decoderPids, until } from "../support/decoders";
import { type ReadPdf, readPdf } from "../support/pdf";

let basics: Basics;
let token: string;
let chart: SeededChart;
beforeAll(async () => {
  basics = await seedBasics();
  const { organization, enabled, disabled, physicians } = basics;
  const scopes = ["reports", "lab_orders", "visit_notes"].map((name) => `system/${name}.read`);
  token = await tokenFor({ organizationId: organization, practices: [enabled, disabled], scopes });
  chart = await seedChart({ token: basics.token, practice: enabled, physician: physicians.enabled });
  await db.run(sql`
    UPDATE practice SET address_line1 = '1 Elm Street', city = 'Boston', state = 'MA', zip = '02110' WHERE id = ${enabled}`);
});

const paths = () => [
  `reports/${chart.report}/printable/`,
  `lab_orders/${chart.labOrder}/printable/`,
  `visit_notes/${chart.visitNote}/clinical_summary/`,
  `visit_notes/${chart.visitNote}/visit_summary/`,
];

async function print(path: string): Promise<ReadPdf & { text: string }> {
  const { status, headers, body } = await call("GET", path, { token });
  expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const read = await readPdf(body);
  return { ...read, text: read.pages.join(" ") };
}

/** Inserts a record into the database: of a resource without POST, or with values that POST rejects. */
async function insert(resource: string, practice: number, patient: number | null, data: object): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    INSERT INTO resource_record (resource, practice_id, patient_id, data, created_date, modified_date)
    VALUES (${resource}, ${practice}, ${patient}, ${json(data)}, now(), now()) RETURNING id`);
  return row?.id as number;
}

const expectAll = (text: string, words: readonly string[]) =>
  expect(words.filter((word) => !text.includes(word))).toEqual([]);

describe("every document", () => {
  test("names the practice and the patient on its first page, the patient on every page, and whether it is signed", async () => {
    for (const path of paths()) {
      const { pages, text, info, language } = await print(path);
      expectAll(pages[0] as string, [
        "Northside Family Medicine",
        "1 Elm Street",
        "Boston, MA 02110",
        "(617) 555-0100",
      ]);
      expectAll(pages[0] as string, [
        "Maria José Lopez Jr.",
        "May 17, 1980",
        "Female",
        String(chart.patient),
        "March 4, 2025",
      ]);
      for (const [at, page] of pages.entries())
        expectAll(page, ["Maria José Lopez Jr.", `Page ${at + 1} of ${pages.length}`]);
      expect(text).toContain("Not signed");
      expect(info).toMatchObject({ Creator: "Crosswalk", Producer: "Crosswalk" });
      expect(info.Title).toMatch(/: Maria José Lopez Jr\.$/);
      expect(language).toBe("en-US");
    }
  });

  test("is shown but not stored by browsers, has a filename, and returns no body for HEAD", async () => {
    for (const path of paths()) {
      const { status, headers, body } = await call("GET", path, { token });
      expect(status).toBe(200);
      expect(headers.get("content-length")).toBe(String(body.length));
      expect(headers.get("content-disposition")).toMatch(/^inline; filename="[a-z-]+-\d+\.pdf"$/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
      expect(headers.get("cache-control")).toBe("private, no-store");
      const head = await call("HEAD", path, { token });
      expect([head.status, head.body.length, head.headers.get("content-type")]).toEqual([200, 0, "application/pdf"]);
    }
  });

  test("looks absent to another practice", async () => {
    for (const path of paths()) {
      const responses = [];
      for (const wanted of [path, path.replace(/\d+/, "999999999"), path.replace(/\d+/, "x")])
        responses.push(await call("GET", wanted, { token: basics.stranger }));
      expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(responses[0]?.body).toEqual(responses[1]?.body);
    }
    // A record of another resource looks absent as well.
    expect((await call("GET", `reports/${chart.labOrder}/printable/`, { token })).status).toBe(404);
  });

  test("requires the scope of its resource, and every read is audited", async () => {
    const { organization, enabled } = basics;
    for (const path of paths()) {
      const other = path.startsWith("reports") ? "system/lab_orders.read" : "system/reports.read";
      const stray = await tokenFor({ organizationId: organization, practices: [enabled], scopes: [other] });
      expect((await call("GET", path, { token: stray })).status).toBe(403);
    }
    const reads = await db.rows<{ operation: string }>(sql`
      SELECT DISTINCT operation FROM audit_log WHERE ${chart.patient}::bigint = ANY(patients) AND operation LIKE '%print%' ORDER BY 1`);
    expect(reads.map(({ operation }) => operation)).toEqual([
      "lab_orders.print",
      "reports.print",
      "visit_notes.print_clinical_summary",
      "visit_notes.print_visit_summary",
    ]);
  });
});

describe("a report", () => {
  test("shows its tests with values, units, flags and ranges", async () => {
    const { text } = await print(`reports/${chart.report}/printable/`);
    expectAll(text, ["Blood & urine", "Ada Reyes", "R-9", "A-1", "Fasting"]);
    expectAll(text, ["Hemoglobin A1c 7.9 % Above high", "<= 5.6", "Urine colour Straw", "Final"]);
  });

  test("continues over pages, with the table header on each and no result lost", async () => {
    const result = (number: number) => ({
      test: { name: `Test ${number}.`, code: "t", loinc: null },
      value: String(number),
      note: number === 40 ? `Long ${"word ".repeat(3000)}end-of-note` : null,
    });
    const grids = [{ status: "FINAL", results: Array.from({ length: 120 }, (_, at) => result(at)) }];
    const id = await insert("reports", basics.enabled, chart.patient, {
      report_type: "Lab",
      grids,
      signed_date: "2025-03-05T20:00:00Z",
    });
    const { pages, text } = await print(`reports/${id}/printable/`);
    expect(pages.length).toBeGreaterThan(5);
    expectAll(
      text,
      Array.from({ length: 120 }, (_, at) => `Test ${at}. `),
    );
    expectAll(text, ["end-of-note", "Signed on March 5, 2025 at 3:00 PM"]);
    expect(text.match(/word/g)).toHaveLength(3000);
    expect(pages.filter((page) => page.startsWith("Test Result Flag")).length).toBeGreaterThan(2);
  });

  test("longer than 100 pages says that the rest is not printed", async () => {
    const results = Array.from({ length: 900 }, () => ({ value: "1", note: "word\n".repeat(20) }));
    const id = await insert("reports", basics.enabled, chart.patient, { report_type: "Lab", grids: [{ results }] });
    const { pages } = await print(`reports/${id}/printable/`);
    expect(pages).toHaveLength(101);
    expectAll(pages[100] as string, ["The rest of it is not printed.", "Not signed", "Page 101 of 101"]);
  });

  test("names the signer if that is a physician of the practice", async () => {
    await db.run(sql`UPDATE physician SET user_id = 77, credentials = 'MD' WHERE id = ${chart.physician}`);
    const signed = { report_type: "Lab", signed_by: chart.physician, signed_date: "2025-03-05T20:00:00Z" };
    const id = await insert("reports", basics.enabled, chart.patient, signed);
    expect((await print(`reports/${id}/printable/`)).text).toContain(
      "Signed by Ada Reyes, MD on March 5, 2025 at 3:00 PM",
    );
  });

  test("is printed even if it is empty or has values that the API rejects", async () => {
    const odd = {
      report_type: "x".repeat(2000),
      document_date: "never",
      grids: [{}, { results: [{}] }],
      custom_title: "\u0000 \n".slice(1),
    };
    for (const data of [{}, odd]) {
      const id = await insert("reports", basics.enabled, chart.patient, data);
      expect((await print(`reports/${id}/printable/`)).text).toContain("Not signed");
    }
  });
});

describe("a laboratory order", () => {
  test("shows tests, diagnoses, the site, and the patient's instructions", async () => {
    const { text } = await print(`lab_orders/${chart.labOrder}/printable/`);
    expectAll(text, ["Laboratory order", "April 1, 2025", "Labworks", "Northside Lab", "2 Oak St", "12 hours"]);
    expectAll(text, ["Lipid panel LP E11.9 Type 2 diabetes mellitus", "Drink water — пейте воду", "Left arm"]);
  });
});

describe("a visit", () => {
  test("is summarized by its notes in reading order, without withdrawn notes", async () => {
    const { text } = await print(`visit_notes/${chart.visitNote}/visit_summary/`);
    const order = [
      "Visit summary",
      "Reason for visit",
      "Follow-up of diabetes",
      "Thirsty since March",
      "No chest pain",
    ];
    const more = ["Lungs clear", "Diabetes above target — Διαβήτης", "Metformin twice a day. Контроль через месяц"];
    const places = [...order, ...more].map((word) => text.indexOf(word));
    expect(places).toEqual([...places].filter((place) => place >= 0).sort((a, b) => a - b));
    expect(text).not.toContain("Taken back");
    expect(text).not.toContain("Current medications");
  });

  test("is summarized with the patient's problems and medications", async () => {
    const { text } = await print(`visit_notes/${chart.visitNote}/clinical_summary/`);
    expectAll(text, ["Clinical summary", "Lungs clear", "Type 2 diabetes, since February 3, 2020"]);
    expectAll(text, ["Metformin 500 mg tablet: Take 1 tablet twice a day", "Influenza, October 2, 2024"]);
    expectAll(text, ["128 mmHg", "98.6 °F", "27.4 kg/m²"]);
    // Resolved, and inactive.
    for (const gone of ["Broken arm", "Codeine"]) expect(text).not.toContain(gone);
  });

  test("says if the patient has no data", async () => {
    const { enabled, physicians } = basics;
    const patient = await seedPatient(enabled, physicians.enabled, "Ann Empty");
    const id = await insert("visit_notes", enabled, patient, {
      signatures: [{ user_name: "Bea Kim", signed_date: "2025-01-01T00:00:00Z" }],
      signed_date: "2025-01-01T12:00:00Z",
    });
    const { text } = await print(`visit_notes/${id}/clinical_summary/`);
    expect(text.match(/None on record\./g)).toHaveLength(5);
    expectAll(text, ["Nothing was noted.", "Signed by Bea Kim on January 1, 2025 at 7:00 AM"]);
  });
});

describe("text", () => {
  test("is shown in any European script; characters that the font lacks are transcribed or replaced, never lost", async () => {
    const custom_title = "Żółć ğüş Ő Þ — Ελλάδα — Ґанок Ђорђе — ≤ 5 ☑ — 中文 שלום 🩺 end";
    const id = await insert("reports", basics.enabled, chart.patient, { report_type: "Lab", custom_title });
    const { text, info } = await print(`reports/${id}/printable/`);
    expect(text).toContain(
      "Żółć ğüş Ő Þ — Ελλάδα — Ґанок Ђорђе — <= 5 [x] — \ufffd\ufffd \ufffd\ufffd\ufffd\ufffd \ufffd end",
    );
    expect(info.Title).toContain("Ελλάδα");
  });
});

describe("text that takes a long time to lay out", () => {
  /** More wide letters than fit on the pages of a document. */
  const LONG = 1_000_000;
  const hostile: [what: string, text: string][] = [
    ["one word", "W".repeat(LONG)],
    ["spaces", `${" ".repeat(LONG)}x`],
    ["accents on one letter", `e${"\u0301\u0323".repeat(LONG)}`],
    ["characters that the font lacks", "\u{1fa7a}".repeat(LONG)],
  ];
  test.each(hostile)("%s: is laid out up to the page limit", async (_what, text) => {
    const bullets = [{ category: "Narrative", text }];
    const id = await insert("visit_notes", basics.enabled, chart.patient, { bullets });
    const { status, body } = await call("GET", `visit_notes/${id}/visit_summary/`, { token });
    expect([status, Buffer.from(body).subarray(0, 5).toString()]).toEqual([200, "%PDF-"]);
  });

  test("leaves the rest of the document intact, in a heading, title, signature or label", async () => {
    const word = "W".repeat(LONG);
    const header = await insert("print_headers", basics.enabled, null, { name: "Long", header: `${word}\n${word}` });
    const report = await insert("reports", basics.enabled, chart.patient, {
      report_type: "Lab",
      custom_title: "Short",
      grids: [{ results: [{ value: "7.9", note: "seen" }] }],
      signatures: [{ user_name: word }],
      signed_date: "2025-01-01T12:00:00Z",
    });
    const { text } = await print(`reports/${report}/printable/?print_header=${header}`);
    expectAll(text, ["WWW", "…", "Short", "7.9", "seen", "Signed by"]);

    const titled = await insert("reports", basics.enabled, chart.patient, { report_type: "Lab", custom_title: word });
    expect((await call("GET", `reports/${titled}/printable/`, { token })).status).toBe(200);

    const checklists = { Exam: [{ name: word.slice(0, 3_000), value: "short", sequence: 1 }] };
    const note = await insert("visit_notes", basics.enabled, chart.patient, { checklists });
    expectAll((await print(`visit_notes/${note}/visit_summary/`)).text, ["Exam", "short", "Not signed"]);
  });

  test("does not block other requests if it has 200,000 entries", async () => {
    const bullets = Array.from({ length: 200_000 }, (_, at) => ({ category: "Narrative", text: `Entry ${at}` }));
    const id = await insert("visit_notes", basics.enabled, chart.patient, { bullets });
    expect((await call("GET", `visit_notes/${id}/visit_summary/`, { token })).status).toBe(200);
  });
});

test("killing a process while it renders fails only its own request, which can be retried", async () => {
  const path = `visit_notes/${chart.visitNote}/visit_summary/`;
  expect((await call("GET", path, { token })).status).toBe(200);
  const [pid] = decoderPids("render-pdf.mjs");
  process.kill(pid as number, "SIGSTOP");
  const waiting = call("GET", path, { token });
  await until(() => documentQueue("render-pdf").pending === 1);
  process.kill(pid as number, "SIGKILL");
  const rejected = await waiting;
  expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await call("GET", path, { token })).status).toBe(200);
});

test("a document is finished even if Ctrl-C also reaches its renderer", async () => {
  const path = `visit_notes/${chart.visitNote}/visit_summary/`;
  expect((await call("GET", path, { token })).status).toBe(200);
  const [pid] = decoderPids("render-pdf.mjs");
  process.kill(pid as number, "SIGSTOP");
  const waiting = call("GET", path, { token });
  await until(() => documentQueue("render-pdf").pending === 1);
  for (const signal of ["SIGINT", "SIGTERM", "SIGCONT"]) process.kill(pid as number, signal);
  expect((await waiting).status).toBe(200);
});

describe("a print header", () => {
  test("replaces the practice's own heading", async () => {
    const header = "Dr. Reyes & Partners\nΚλινική\n99 Harbor Rd";
    const id = await insert("print_headers", basics.enabled, null, { name: "Letter", header });
    for (const path of paths().slice(0, 2)) {
      const { pages } = await print(`${path}?print_header=${id}`);
      expectAll(pages[0] as string, ["Dr. Reyes & Partners Κλινική 99 Harbor Rd"]);
      expect(pages[0]).not.toContain("1 Elm Street");
    }
    const blank = await insert("print_headers", basics.enabled, null, { name: "Blank", header: " \n" });
    expect((await print(`reports/${chart.report}/printable/?print_header=${blank}`)).text).toContain(
      "Northside Family Medicine",
    );
  });

  test("is rejected by name if it is absent, deleted, of another practice, or not an ID", async () => {
    const { enabled, disabled, foreign } = basics;
    const deleted = await insert("print_headers", enabled, null, { name: "Gone", header: "Gone" });
    await db.run(sql`UPDATE resource_record SET deleted_date = now() WHERE id = ${deleted}`);
    // A header of another practice that the client may see; one that it may not see; a record of another kind.
    const theirs = [disabled, foreign].map((practice) =>
      insert("print_headers", practice, null, { name: "Theirs", header: "X" }),
    );
    const bodies = new Set<string>();
    for (const id of [deleted, ...(await Promise.all(theirs)), chart.report, 999_999_999]) {
      for (const path of paths().slice(0, 2)) {
        const { status, body } = await call("GET", `${path}?print_header=${id}`, { token });
        expect(status).toBe(400);
        bodies.add(JSON.stringify(body));
      }
    }
    expect([...bodies]).toEqual([JSON.stringify({ print_header: ["No such print header in this practice."] })]);
    for (const odd of ["x", "-1", "", "1.5", "1&print_header=2", "99999999999999999999"]) {
      const { status, body } = await call("GET", `reports/${chart.report}/printable/?print_header=${odd}`, { token });
      expect([status, Object.keys(body)]).toEqual([400, ["print_header"]]);
    }
  });
});

describe("a filename", () => {
  test.each([
    ["plain.pdf", true, 'inline; filename="plain.pdf"'],
    [
      "Ergebnis für Zoë.pdf",
      false,
      "attachment; filename=\"Ergebnis f-r Zo-.pdf\"; filename*=UTF-8''Ergebnis%20f%C3%BCr%20Zo%C3%AB.pdf",
    ],
    ['a"b\\c\r\nx.pdf', false, "attachment; filename=\"a-b-c-x.pdf\"; filename*=UTF-8''a%22b%5Cc%0D%0Ax.pdf"],
    ["half\ud800.pdf", false, "attachment; filename=\"half-.pdf\"; filename*=UTF-8''half%EF%BF%BD.pdf"],
  ])("for %j can't be mistaken for another type", (filename, inline, expected) => {
    const { headers } = fileResponse({ bytes: new Uint8Array(), contentType: "application/pdf", filename, inline });
    expect(headers["content-disposition"]).toBe(expected);
  });
});
