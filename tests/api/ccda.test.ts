// The patient's chart as a C-CDA R2.1 document.
import { beforeAll, describe, expect, test } from "vitest";
import { db, json, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "../support/api";
import { outOfOrder } from "../support/cda-order";
import { ODD_TEXT, type SeededChart, seedChart } from "../support/chart";
import { fetchRules, readRules } from "../support/schematron";
import { parseXml } from "../support/xml";

let basics: Basics;
let token: string;
let full: SeededChart;
let empty: number;
beforeAll(async () => {
  basics = await seedBasics();
  const { organization, enabled, physicians } = basics;
  token = await tokenFor({ organizationId: organization, practices: [enabled], scopes: ["system/ccda.read"] });
  full = await seedChart({ token: basics.token, practice: enabled, physician: physicians.enabled });
  empty = await seedPatient(enabled, physicians.enabled, "Ann Empty");
});

const TEMPLATES = {
  generateCCD: ["2.16.840.1.113883.10.20.22.1.2", "34133-9"],
  generateCarePlan: ["2.16.840.1.113883.10.20.22.1.15", "52521-2"],
  generateProgressNote: ["2.16.840.1.113883.10.20.22.1.9", "11506-3"],
  generateReferralNote: ["2.16.840.1.113883.10.20.22.1.14", "57133-1"],
} as const;
type Template = keyof typeof TEMPLATES;
const ALL = Object.keys(TEMPLATES) as Template[];

/** Sections by LOINC code: their template, and the documents that require them. */
const SECTIONS: Record<string, { template: string; requiredIn?: Template[] }> = {
  "48765-2": { template: "2.16.840.1.113883.10.20.22.2.6.1", requiredIn: ["generateCCD", "generateReferralNote"] },
  "10160-0": { template: "2.16.840.1.113883.10.20.22.2.1.1", requiredIn: ["generateCCD", "generateReferralNote"] },
  "11450-4": { template: "2.16.840.1.113883.10.20.22.2.5.1", requiredIn: ["generateCCD", "generateReferralNote"] },
  "30954-2": { template: "2.16.840.1.113883.10.20.22.2.3.1", requiredIn: ["generateCCD"] },
  "29762-2": { template: "2.16.840.1.113883.10.20.22.2.17", requiredIn: ["generateCCD"] },
  "8716-3": { template: "2.16.840.1.113883.10.20.22.2.4.1", requiredIn: ["generateCCD"] },
  "11369-6": { template: "2.16.840.1.113883.10.20.22.2.2.1" },
  "46240-8": { template: "2.16.840.1.113883.10.20.22.2.22" },
  "48768-6": { template: "2.16.840.1.113883.10.20.22.2.18" },
  "47519-4": { template: "2.16.840.1.113883.10.20.22.2.7" },
  "10157-6": { template: "2.16.840.1.113883.10.20.22.2.15" },
  "11348-0": { template: "2.16.840.1.113883.10.20.22.2.20" },
  "47420-5": { template: "2.16.840.1.113883.10.20.22.2.14" },
  "10190-7": { template: "2.16.840.1.113883.10.20.22.2.56" },
  "18776-5": {
    template: "2.16.840.1.113883.10.20.22.2.10",
    requiredIn: ["generateProgressNote", "generateReferralNote"],
  },
  "51848-0": {
    template: "2.16.840.1.113883.10.20.22.2.8",
    requiredIn: ["generateProgressNote", "generateReferralNote"],
  },
  "42349-1": { template: "1.3.6.1.4.1.19376.1.5.3.1.3.1", requiredIn: ["generateReferralNote"] },
  "75310-3": { template: "2.16.840.1.113883.10.20.22.2.58", requiredIn: ["generateCarePlan"] },
  "61146-7": { template: "2.16.840.1.113883.10.20.22.2.60", requiredIn: ["generateCarePlan"] },
};

async function read(patient: number, query = "") {
  const { status, body } = await call("GET", `ccda/${patient}/${query}`, { token });
  expect([status, status === 200 ? null : body]).toEqual([200, null]);
  expect(body).toEqual({ id: patient, base64_ccda: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) });
  return parseXml(Buffer.from(body.base64_ccda, "base64"));
}

const section = (loinc: string) => `//c:section[c:code/@code="${loinc}"]`;
const codesOf = (xml: Awaited<ReturnType<typeof read>>) => xml.texts("//c:section/c:code/@code").sort();

describe("a document", () => {
  test.each(ALL)("%s names its kind, patient, author and custodian", async (template) => {
    const xml = await read(full.patient, `?template=${template}`);
    const [root, loinc] = TEMPLATES[template];
    expect(xml.text("namespace-uri(/*)")).toBe("urn:hl7-org:v3");
    expect(xml.text("/c:ClinicalDocument/c:realmCode/@code")).toBe("US");
    expect(
      xml.count("/c:ClinicalDocument/c:typeId[@root='2.16.840.1.113883.1.3' and @extension='POCD_HD000040']"),
    ).toBe(1);
    for (const mark of ["2.16.840.1.113883.10.20.22.1.1", root])
      expect(xml.count(`/c:ClinicalDocument/c:templateId[@root='${mark}' and @extension='2015-08-01']`)).toBe(1);
    expect(xml.text("/c:ClinicalDocument/c:code/@code")).toBe(loinc);
    expect(xml.text("/c:ClinicalDocument/c:effectiveTime/@value")).toMatch(/^\d{14}\+0000$/);
    expect(xml.text("//c:recordTarget/c:patientRole/c:id/@extension")).toBe(String(full.patient));
    expect(xml.texts("//c:recordTarget//c:patient/c:name/*")).toEqual(["Maria", "José", "Lopez", "Jr."]);
    expect(xml.texts("//c:recordTarget/c:patientRole/c:addr/*")).toEqual([
      "12 Main St",
      "Apt 4",
      "Boston",
      "MA",
      "02110",
      "US",
    ]);
    expect(xml.texts("//c:recordTarget/c:patientRole/c:telecom/@value")).toEqual([
      "tel:+1-617-555-0199",
      "mailto:maria@example.org",
    ]);
    const codes = ["administrativeGenderCode", "raceCode", "ethnicGroupCode"].map((name) =>
      xml.text(`//c:patient/c:${name}/@code`),
    );
    expect(codes).toEqual(["F", "2106-3", "2135-2"]);
    expect(xml.text("//c:patient/c:birthTime/@value")).toBe("19800517");
    expect(xml.text("//c:patient/c:languageCommunication/c:languageCode/@code")).toBe("es");
    expect(xml.texts("/c:ClinicalDocument/c:author//c:assignedPerson/c:name/*")).toEqual(["Ada", "Reyes"]);
    expect(xml.text("//c:custodian//c:name")).toBe("Northside Family Medicine");
    expect(xml.text("//c:custodian//c:telecom/@value")).toBe("tel:+1-617-555-0100");
  });

  test.each(ALL)("%s has all its required sections, each with its template, code, title and text", async (template) => {
    for (const patient of [full.patient, empty]) {
      const xml = await read(patient, `?template=${template}`);
      const required = Object.entries(SECTIONS).filter(([, { requiredIn }]) => requiredIn?.includes(template));
      expect(codesOf(xml)).toEqual(expect.arrayContaining(required.map(([loinc]) => loinc)));
      for (const [loinc, { template: root }] of Object.entries(SECTIONS)) {
        if (xml.count(section(loinc)) === 0) continue;
        expect([
          loinc,
          xml.count(`${section(loinc)}[c:templateId/@root='${root}' and c:title!='' and c:text]`),
        ]).toEqual([loinc, 1]);
      }
      expect(xml.count("//c:section/c:code[@codeSystem!='2.16.840.1.113883.6.1']")).toBe(0);
    }
  });

  test("says in every section if the patient has no data for it", async () => {
    for (const template of ALL) {
      const xml = await read(empty, `?template=${template}`);
      expect(xml.count("//c:section")).toBeGreaterThan(1);
      expect(xml.count("//c:section[@nullFlavor='NI' and not(c:entry) and c:text='No information.']")).toBe(
        xml.count("//c:section"),
      );
    }
    const entry = await call("POST", "allergy_documentation/", { token: basics.token, body: { patient: empty } });
    expect(entry.status).toBe(201);
    const xml = await read(empty);
    expect(xml.text(`${section("48765-2")}//c:td`)).toBe("No known allergies");
    expect(xml.count(`${section("48765-2")}//c:observation[@negationInd='true']`)).toBe(1);
    await call("DELETE", `allergy_documentation/${entry.body.id}/`, { token: basics.token });
  });

  test.each(ALL)(
    "%s follows the order of the CDA schema, and every reference resolves to its row",
    async (template) => {
      for (const patient of [full.patient, empty]) {
        const xml = await read(patient, `?template=${template}`);
        expect(outOfOrder(xml.elements())).toEqual([]);
        const ids = xml.texts("//@ID");
        expect(new Set(ids).size).toBe(ids.length);
        expect(xml.texts("//c:reference/@value").filter((link) => !ids.includes(link.slice(1)))).toEqual([]);
      }
      const ids = (await read(full.patient, `?template=${template}`)).count("//c:entry//c:reference");
      expect(ids).toBeGreaterThan(5);
    },
  );

  test("keeps the IDs of records between documents, and has its own ID", async () => {
    const [one, other] = [await read(full.patient), await read(full.patient)];
    const recordIds = "//c:entry//c:id/@root | //c:entry//c:id/@extension";
    expect(one.texts(recordIds)).toEqual(other.texts(recordIds));
    expect(one.text("/*/c:id/@root")).not.toBe(other.text("/*/c:id/@root"));
  });
});

describe("the published rules of C-CDA R2.1", async () => {
  const rules = await fetchRules();
  if (rules === null)
    console.warn("skipped: HL7's published rules are not available, so documents are not validated against them");
  test.skipIf(rules === null).each(ALL)(
    "are satisfied by %s with a full chart, an empty chart, and a single section",
    async (template) => {
      const check = readRules(rules as string);
      const section = template === "generateCarePlan" ? "goals" : "medications";
      for (const [patient, query] of [
        [full.patient, ""],
        [empty, ""],
        [full.patient, `&sections=${section}`],
      ] as const) {
        const { document } = await read(patient, `?template=${template}${query}`);
        const { checked, failures } = check(document);
        expect(failures).toEqual([]);
        expect(checked).toBeGreaterThan(150);
      }
    },
  );
});

describe("a full chart", () => {
  test("keeps its text readable with unusual characters", async () => {
    const xml = await read(full.patient);
    // XML cannot express these characters, so they become a replacement character.
    const odd = ODD_TEXT.replace("\u0001", "\ufffd").replace("\u001f", "\ufffd");
    expect(xml.text(`${section("48765-2")}//c:tbody/c:tr[1]/c:td[1]`)).toBe(odd);
    expect(xml.text("//c:playingEntity/c:name")).toBe(odd);
    const cells = (loinc: string) => xml.texts(`${section(loinc)}//c:td`);
    expect(cells("10160-0")).toEqual(
      expect.arrayContaining(["Metformin 500 mg tablet", "Take 1 tablet twice a day", "60 tablet, 2 refills"]),
    );
    expect(cells("11450-4")).toEqual(
      expect.arrayContaining(["Type 2 diabetes", "ICD-10-CM E11.9, SNOMED CT 44054006", "Broken arm"]),
    );
    expect(xml.texts(`${section("11450-4")}//c:td/c:paragraph`)).toEqual(["Diet", "and metformin"]);
    expect(cells("30954-2")).toEqual(expect.arrayContaining(["Blood & urine", "7.9 %", "≤ 5.6", "Above high normal"]));
    expect(cells("48768-6")).toEqual(
      expect.arrayContaining(["Primary", "Acme & Sons Health", "M-1", "Juan López (patient is spouse)"]),
    );
    expect(xml.text(section("18776-5"))).toContain("Контроль через месяц");
    expect(xml.text(section("18776-5"))).not.toContain("Taken back");
    expect(cells("10157-6")).toEqual(expect.arrayContaining(["Mother", "Breast cancer"]));
  });

  test.each<[string, string, string, object]>([
    ["allergies", "48765-2", "//c:observation/c:value[@code='24484000']", { codeSystem: "2.16.840.1.113883.6.96" }],
    [
      "medications",
      "10160-0",
      "//c:manufacturedMaterial/c:code",
      { code: "861007", codeSystem: "2.16.840.1.113883.6.88" },
    ],
    ["medications by NDC", "10160-0", "//c:translation", { code: "00093104801", codeSystem: "2.16.840.1.113883.6.69" }],
    ["since when", "10160-0", "//c:effectiveTime/c:low", { value: "20250304" }],
    [
      "problems",
      "11450-4",
      "//c:observation/c:value[@code]",
      { code: "44054006", codeSystem: "2.16.840.1.113883.6.96" },
    ],
    [
      "problems by diagnosis",
      "11450-4",
      "//c:value/c:translation",
      { code: "E11.9", codeSystem: "2.16.840.1.113883.6.90" },
    ],
    [
      "immunizations",
      "11369-6",
      "//c:manufacturedMaterial/c:code",
      { code: "08", codeSystem: "2.16.840.1.113883.12.292" },
    ],
    ["vital signs", "8716-3", "//c:observation[c:code/@code='8480-6']/c:value", { value: "128", unit: "mm[Hg]" }],
    ["results", "30954-2", "//c:observation/c:code", { code: "4548-4", codeSystem: "2.16.840.1.113883.6.1" }],
    ["values of results", "30954-2", "//c:observation/c:value", { value: "7.9", unit: "%" }],
    ["flags of results", "30954-2", "//c:interpretationCode", { code: "H", codeSystem: "2.16.840.1.113883.5.83" }],
    [
      "family history",
      "10157-6",
      "[.//c:relatedSubject/c:code[@code]]//c:relatedSubject/c:code",
      { code: "MTH", codeSystem: "2.16.840.1.113883.5.111" },
    ],
    ["encounters", "46240-8", "//c:encounter/c:effectiveTime", { value: "20250304153000+0000" }],
    ["policies", "48768-6", "//c:participant[@typeCode='COV']/c:participantRole/c:code", { code: "SELF" }],
    ["orders", "18776-5", "//c:observation[@moodCode='RQO']/c:effectiveTime", { value: "20250401" }],
  ])("is coded: %s", async (_what, loinc, path, attributes) => {
    const xml = await read(full.patient);
    for (const [name, value] of Object.entries(attributes))
      expect(xml.text(`(${section(loinc)}/c:entry${path})[1]/@${name}`)).toBe(value);
  });

  test("excludes confidential notes and orders, archived policies and deleted records", async () => {
    const place = { token: basics.token, practice: basics.enabled, physician: basics.physicians.enabled };
    const { patient, visitNote, labOrder } = await seedChart(place, "Con Fidential");
    const before = await read(patient);
    expect([before.count("//c:encounter"), before.count(`${section("48768-6")}/c:entry`)]).toEqual([1, 2]);
    await db.run(sql`
      UPDATE resource_record SET data = data || '{"confidential": true}' WHERE id IN (${visitNote}, ${labOrder})`);
    const { body } = await call("GET", `patients/${patient}/policies`, { token: basics.token });
    await call("DELETE", `patients/${patient}/policies/${body.results[0].id}`, { token: basics.token });
    const { results } = (await call("GET", `allergies/?patient=${patient}`, { token: basics.token })).body;
    await call("DELETE", `allergies/${results[0].id}/`, { token: basics.token });
    const after = await read(patient);
    expect([after.count("//c:encounter"), after.count(`${section("48768-6")}/c:entry`)]).toEqual([0, 1]);
    expect(after.count(`${section("48765-2")}/c:entry`)).toBe(1);
    expect(after.text(section("18776-5"))).not.toContain("Lipid panel");
  });

  test("shows values that are not numbers as text, and stops at the newest 500 records with a notice", async () => {
    const { enabled, physicians } = basics;
    const patient = await seedPatient(enabled, physicians.enabled, "Many Records");
    const one = { name: "Dust", status: "Active" };
    await db.run(sql`
      INSERT INTO resource_record (resource, practice_id, patient_id, data, created_date, modified_date)
      SELECT 'allergies', ${enabled}, ${patient}, ${json(one)}, now(), now() FROM generate_series(1, 501)`);
    const odd = { bp: [{ systolic: "high", diastolic: null }], hr: [{ value: "70,5" }], weight: [{}] };
    await db.run(sql`
      INSERT INTO resource_record (resource, practice_id, patient_id, data, created_date, modified_date)
      VALUES ('vitals', ${enabled}, ${patient}, ${json(odd)}, now(), now()), ('problems', ${enabled}, ${patient}, '{}', now(), now())`);
    const xml = await read(patient);
    expect(xml.count(`${section("48765-2")}/c:entry`)).toBe(500);
    expect(xml.text(`${section("48765-2")}/c:text/c:paragraph`)).toBe("Only the newest 500 records are shown.");
    expect(xml.texts(`${section("8716-3")}//c:td`)).toEqual(expect.arrayContaining(["high", "70,5 per minute"]));
    expect(xml.count(`${section("8716-3")}/c:entry`)).toBe(0);
    expect(xml.count(`${section("11450-4")}/c:entry`)).toBe(1);
    expect(outOfOrder(xml.elements())).toEqual([]);
  });
});

describe("sections and dates", () => {
  test("requested sections are complete, and required ones that were not requested have no data", async () => {
    const xml = await read(full.patient, "?sections=payers&sections=allergies");
    const required = ["48765-2", "10160-0", "11450-4", "30954-2", "29762-2", "8716-3"];
    expect(codesOf(xml)).toEqual([...required, "48768-6"].sort());
    expect(xml.count("//c:section[c:entry]")).toBe(2);
    expect(xml.count("//c:section[@nullFlavor='NI' and not(.//c:table)]")).toBe(5);
  });

  test("dates limit records, including both days; records that continue or have no date stay", async () => {
    const entries = async (query: string) => {
      const xml = await read(full.patient, query);
      return Object.fromEntries(
        ["11450-4", "10160-0", "8716-3", "30954-2", "46240-8", "11369-6", "48768-6", "10157-6"].map((loinc) => [
          loinc,
          xml.count(`${section(loinc)}/c:entry`),
        ]),
      );
    };
    const visit = {
      "11450-4": 1,
      "10160-0": 1,
      "8716-3": 1,
      "30954-2": 1,
      "46240-8": 1,
      "11369-6": 0,
      "48768-6": 2,
      "10157-6": 2,
    };
    expect(await entries("?start_date=2025-03-04&end_date=2025-03-04")).toEqual(visit);
    const later = { ...visit, "8716-3": 0, "30954-2": 0, "46240-8": 0 };
    expect(await entries("?start_date=2025-03-05")).toEqual(later);
    const earlier = { ...later, "10160-0": 0, "11369-6": 1, "11450-4": 2 };
    expect(await entries("?end_date=2025-03-03")).toEqual(earlier);
    expect(await entries("?end_date=2012-03-01")).toEqual({ ...earlier, "11369-6": 0, "11450-4": 1, "48768-6": 1 });
    const xml = await read(full.patient, "?start_date=2025-01-01&end_date=2025-12-31");
    expect(xml.texts("//c:serviceEvent/c:effectiveTime/*/@value")).toEqual(["20250101", "20251231"]);
  });

  test.each<[string, string]>([
    ["template=generateNothing", "template"],
    ["template=generateCCD&template=generateCarePlan", "template"],
    ["sections=nothing", "sections"],
    ["sections=allergies&sections=Allergies", "sections"],
    ["template=generateCarePlan&sections=plan_of_treatment", "sections"],
    ["start_date=yesterday", "start_date"],
    ["end_date=2025-02-30", "end_date"],
    ["start_date=2025-02-02&end_date=2025-02-01", "end_date"],
  ])("%s is rejected, naming %s", async (query, parameter) => {
    const { status, body } = await call("GET", `ccda/${full.patient}/?${query}`, { token });
    expect([status, Object.keys(body)]).toEqual([400, [parameter]]);
  });
});

describe("access", () => {
  test("is denied for another practice's patient as if the patient did not exist", async () => {
    const responses = [];
    for (const id of [full.patient, 999_999_999, "x"])
      responses.push(await call("GET", `ccda/${id}/`, { token: basics.stranger }));
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(responses[0]?.body).toEqual(responses[1]?.body);
  });

  test("requires only system/ccda.read, and every read is audited; HEAD returns no body", async () => {
    const scopes = ["system/patients.read", "system/allergies.read"];
    const other = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
    expect((await call("GET", `ccda/${full.patient}/`, { token: other })).status).toBe(403);
    const audited = () =>
      db.first<{ reads: number }>(sql`SELECT count(*) AS reads FROM audit_log WHERE operation = 'ccda.get'`);
    const before = (await audited())?.reads ?? 0;
    await read(full.patient);
    const { status, body } = await call("HEAD", `ccda/${full.patient}/`, { token });
    expect([status, body.length]).toEqual([200, 0]);
    expect((await audited())?.reads).toBeGreaterThan(before);
  });
});
