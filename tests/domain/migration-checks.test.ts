// The conversion checks: their findings in the sample exports and in records with one fault, and what their fixes correct.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { checkFile } from "@/lib/migration/check/check-file";
import { type CheckCode, describeCode, type Finding } from "@/lib/migration/findings/checks";
import { isOneTypoAway } from "@/lib/migration/findings/fixes";
import { fileSource } from "@/lib/platform/files/source";
import {
  COMPANIES,
  findSampleExport,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  writeLines,
} from "../support/legacy-export";
import { runScript } from "../support/run-script";

const AS_OF = "2025-10-01";

async function findingsIn(file: string, companies: { id: number; carrier: string }[] = COMPANIES): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const checked of checkFile({ source: await fileSource(file), companies, asOf: AS_OF })) {
    if ("reason" in checked) throw new Error(`line ${checked.line}: ${checked.reason}`);
    findings.push(...checked.findings);
  }
  return findings;
}

const findingsOf = (...patients: Parameters<typeof writeLines>[1]) =>
  findingsIn(writeLines("checked.ndjson", patients));
const codesOf = async (...patients: Parameters<typeof writeLines>[1]) =>
  (await findingsOf(...patients)).map(({ code }) => code).sort();

const readLines = (file: string) =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const key = ({ patient, insurance, code, severity }: Pick<Finding, "patient" | "insurance" | "code" | "severity">) =>
  `${patient} ${insurance} ${code} ${severity}`;

describe.each(["legacy-patients", "legacy-patients-damaged"] as const)("the sample export %s", (name) => {
  const { found, file, companies } = findSampleExport(name);

  test.skipIf(!found)("has exactly the findings that an independent program reports", async () => {
    const expected = readLines(file.replace(/ndjson$/, "findings.ndjson")).map(key);
    const findings = (await findingsIn(file, readLines(companies))).map(key);
    expect([...new Set(findings)].sort()).toEqual([...new Set(expected)].sort());
  });

  test.skipIf(!found)("has the same findings on the command line, which exits with 1 if one is an error", async () => {
    const args = ["check", file, "--companies", companies, "--as-of", AS_OF, "--json"];
    const { code, stdout } = await runScript("crosswalk.mjs", args, {
      DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none",
    });
    const lines = stdout.split("\n").filter((line) => line !== "");
    expect(code).toBe(lines.length === 0 ? 0 : 1);
    expect(lines.map((line) => key(JSON.parse(line))).sort()).toEqual(
      (await findingsIn(file, readLines(companies))).map(key).sort(),
    );
    for (const line of lines)
      expect(Object.keys(JSON.parse(line)).slice(0, 4)).toEqual(["patient", "insurance", "code", "severity"]);
  });
});

const one = (fields: object) => legacyPatient(1, { insurances: [legacyInsurance(10, { ...fields })] });

describe("a record with one fault", () => {
  test("a record without faults has no finding", async () => {
    expect(await codesOf(legacyPatient(1, { insurance_cards: [await legacyCard(1)] }))).toEqual([]);
  });

  test.each<[CheckCode[], object]>([
    [["patient_identity_missing"], legacyPatient(1, { first_name: " " })],
    [["patient_identity_missing"], legacyPatient(1, { dob: null })],
    [["patient_dob_invalid"], legacyPatient(1, { dob: "1999-02-29" })],
    [["patient_dob_invalid"], legacyPatient(1, { dob: "17.05.1980" })],
    [["patient_dob_invalid"], legacyPatient(1, { dob: "2025-10-02" })],
    [[], legacyPatient(1, { dob: AS_OF })],
    [["rank_missing"], one({ rank: "  " })],
    [["rank_unknown"], one({ rank: "4" })],
    [[], one({ rank: " Primary " })],
    [
      ["rank_duplicate"],
      legacyPatient(1, { insurances: [legacyInsurance(10), legacyInsurance(19, { rank: "PRIMARY" })] }),
    ],
    [["member_id_missing"], one({ member_id: "" })],
    [["carrier_missing"], one({ carrier: " ", insurance_company: null })],
    [["carrier_unmatched"], one({ carrier: "Hummana", insurance_company: null })],
    [[], one({ carrier: " HUMANA ", insurance_company: null })],
    [[], one({ carrier: "Whoever", insurance_company: 5000 })],
    [["date_invalid"], one({ start_date: "2021-1-5" })],
    [["date_invalid"], one({ start_date: "unknown", end_date: "13/45/2020" })],
    [["date_order"], one({ end_date: "2014-12-31" })],
    [["expired"], one({ end_date: "2025-09-30" })],
    [[], one({ end_date: AS_OF })],
    [["decimal_invalid"], one({ copay: "$20", deductible: "1,000.00" })],
    [["decimal_invalid"], one({ copay: "20.005" })],
    [["decimal_invalid"], one({ copay: "123456789.00" })],
    [[], one({ copay: "", deductible: "-99999999.99" })],
    [["field_too_long"], one({ member_id: "X".repeat(51) })],
    [[], one({ member_id: "💊".repeat(50), carrier: "💊".repeat(200) })],
    [["field_too_long"], one({ member_id: "💊".repeat(51) })],
    [["decimal_invalid"], one({ copay: "-.", deductible: "-" })],
    [[], one({ copay: ".5", deductible: "5." })],
    [["relationship_unknown"], one({ relationship_to_insured: "Self" })],
    [["insured_person_missing"], one({ relationship_to_insured: "Child", insured_person_first_name: "Ann" })],
    [
      ["insurance_id_reused", "insurance_id_reused", "rank_duplicate"],
      legacyPatient(1, { insurances: [legacyInsurance(10), legacyInsurance(10)] }),
    ],
    [
      ["card_orphan", "card_unreadable"],
      legacyPatient(1, { insurance_cards: [{ rank: 2, images: [{ side: 1, base64_content: "bm90" }] }] }),
    ],
    [[], legacyPatient(1, { insurance_cards: [{ rank: 2, images: [] }] })],
    [["patient_dob_invalid"], legacyPatient(1, { dob: [] })],
    [["patient_dob_invalid"], legacyPatient(1, { dob: " 1980-05-17" })],
    [["rank_unknown"], one({ rank: ["primary"] })],
    [["rank_unknown"], one({ rank: { toString: 1 } })],
    [["decimal_invalid"], one({ copay: 20 })],
    [["decimal_invalid"], one({ copay: "-" })],
    [["decimal_invalid"], one({ copay: ".", deductible: " 20.00" })],
    [["date_invalid"], one({ end_date: "2030-01-01 " })],
    [["date_invalid"], one({ start_date: 20200102 })],
    [["patient_identity_missing"], legacyPatient(1, { first_name: " ", dob: undefined })],
    [
      ["card_unreadable"],
      legacyPatient(1, { insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: "bm90IGFuIGltYWdl" }] }] }),
    ],
  ])("%j", async (codes, patient) => {
    expect(await codesOf(patient as Record<string, unknown>)).toEqual(codes);
  });

  test("an oversized card image is reported", async () => {
    const images = [{ side: 1, base64_content: Buffer.alloc(10 * 1024 * 1024 + 1).toString("base64") }];
    const [finding] = await findingsOf(legacyPatient(1, { insurance_cards: [{ rank: 1, images }] }));
    expect(finding?.message).toBe("Primary card: an image is larger than 10 MiB.");
  });

  test("an ID given as text stays text, and equals the same number", async () => {
    const texts = { id: "MRN-1", insurances: [legacyInsurance(10, { id: "7" })] };
    const findings = await findingsOf(
      legacyPatient(1, texts),
      legacyPatient(2, { insurances: [legacyInsurance(10, { id: 7 })] }),
    );
    expect(
      findings.map(({ patient, insurance, code, line, fix }) => [patient, insurance, code, line, fix?.values]),
    ).toEqual([
      ["MRN-1", "7", "insurance_id_reused", 1, undefined],
      ["MRN-1", null, "patient_id_invalid", 1, undefined],
      ["MRN-1", "7", "insurance_id_invalid", 1, { id: 7 }],
      [1002, 7, "insurance_id_reused", 2, undefined],
    ]);
  });

  test("past insurances are checked only for what the conversion can't store", async () => {
    const ended = { start_date: "2010-01-01", created_date: null, end_date: "2014-01-01" };
    const past = (fields: object) =>
      legacyPatient(1, { deleted_insurances: [legacyInsurance(11, { ...ended, ...fields })] });
    expect(await codesOf(past({ rank: "", copay: "free" }))).toEqual(["past_decimal_invalid", "past_rank_invalid"]);
    expect(await codesOf(past({ member_id: null, carrier: null, insurance_company: null }))).toEqual([]);
  });

  test("the same person on a later line is a duplicate in any spelling; a person without a name is not", async () => {
    const again = legacyPatient(2, { first_name: " FIRST1", last_name: "last1 " });
    expect(await codesOf(legacyPatient(1), again)).toEqual(["patient_duplicate"]);
    expect(await codesOf(legacyPatient(1), { ...again, sex: "Male" })).toEqual([]);
    const nameless = { first_name: null };
    const twice = await codesOf(legacyPatient(1, nameless), legacyPatient(2, { ...nameless, last_name: "Last1" }));
    expect(twice).toEqual(["patient_identity_missing", "patient_identity_missing"]);
  });

  test("a repeated insurance ID is reported on each insurance that has it, including the first", async () => {
    const findings = await findingsOf(legacyPatient(1), legacyPatient(2, { insurances: [legacyInsurance(10)] }));
    expect(findings.map(({ patient, code }) => [patient, code])).toEqual([
      [1001, "insurance_id_reused"],
      [1002, "insurance_id_reused"],
    ]);
  });

  test("every finding names its field in words, and what to do", async () => {
    for (const finding of await findingsOf(one({ rank: "4", copay: "$20", start_date: "never", member_id: null }))) {
      expect(finding.message).toMatch(/^(Rank|Copay|Effective date|Member ID) [^_]+\.$/);
      expect(describeCode(finding.code).advice).toMatch(/\.$/);
    }
  });
});

describe("a proposed fix", () => {
  test.each<[object, object]>([
    [{ rank: "Prime" }, { rank: "primary" }],
    [{ rank: "2nd" }, { rank: "secondary" }],
    [
      { carrier: "Hummana", insurance_company: null },
      { carrier: "Humana", insurance_company: 5000 },
    ],
    [
      { carrier: "Aetan", insurance_company: null },
      { carrier: "Aetna", insurance_company: 5001 },
    ],
    [{ copay: "$20" }, { copay: "20.00" }],
    [{ copay: 20 }, { copay: "20.00" }],
    [{ copay: " 20.00 " }, { copay: "20.00" }],
    [{ start_date: " 2021-01-05" }, { start_date: "2021-01-05" }],
    [{ start_date: 20210105 }, { start_date: "2021-01-05" }],
    [{ deductible: "1,000.5" }, { deductible: "1000.50" }],
    [{ start_date: "2021-1-5" }, { start_date: "2021-01-05" }],
    [{ start_date: "5/17/2020" }, { start_date: "2020-05-17" }],
    [{ relationship_to_insured: "Self" }, { relationship_to_insured: null }],
    [
      { relationship_to_insured: "spouse", insured_person_first_name: "A", insured_person_last_name: "B" },
      { relationship_to_insured: "Spouse" },
    ],
    [
      { member_id: `  ${"X".repeat(25)}${" ".repeat(30)}${"Y".repeat(24)}` },
      { member_id: `${"X".repeat(25)} ${"Y".repeat(24)}` },
    ],
  ])("for %j is %j, and corrects it", async (fault, values) => {
    const [finding, ...others] = await findingsOf(one(fault));
    expect([finding?.fix?.values, others]).toEqual([values, []]);
    expect(await codesOf(one({ ...fault, ...values }))).toEqual([]);
  });

  test.each<object>([
    { rank: "4" },
    { copay: "20.005" },
    { copay: "1,00" },
    { start_date: "5/6/2020" },
    { start_date: "2021-02-30" },
    { relationship_to_insured: "Parent" },
    { carrier: "Nobody Knows", insurance_company: null },
    { copay: "-" },
    { start_date: 5 },
    { member_id: "X".repeat(51) },
  ])("for %j is not offered, because it has several readings or none", async (fault) => {
    const [finding] = await findingsOf(one(fault));
    expect(finding?.fix).toBeNull();
  });

  test("is not offered for a rank that another insurance of the patient has", async () => {
    const insurances = [legacyInsurance(10), legacyInsurance(11, { rank: "prim" })];
    const [finding] = await findingsOf(legacyPatient(1, { insurances }));
    expect([finding?.code, finding?.fix]).toEqual(["rank_unknown", null]);
  });

  test("is not offered for a rank that another insurance would get, in any order", async () => {
    const ranked = (...ranks: string[]) =>
      findingsOf(legacyPatient(1, { insurances: ranks.map((rank, at) => legacyInsurance(10 + at, { rank })) }));
    for (const ranks of [
      ["prim", "primary"],
      ["prim", "1st"],
    ]) {
      expect((await ranked(...ranks)).map(({ fix }) => fix).filter(Boolean)).toEqual([]);
    }
    const corrected = (await ranked("prim", "2nd")).map(({ fix }) => fix?.values);
    expect(corrected).toEqual([{ rank: "primary" }, { rank: "secondary" }]);
  });

  test.each<[string, string]>([
    ["BCBS of NY", "BCBS of NJ"],
    ["Plan 10 Health", "Plan 11 Health"],
    ["Region1 Care", "Region2 Care"],
    ["Aetna", "Aetna A"],
  ])("for the carrier %s is not %s: a short word or a digit differs", async (carrier, known) => {
    const file = writeLines("names.ndjson", [one({ carrier, insurance_company: null })]);
    const [finding] = await findingsIn(file, [{ id: 1, carrier: known }]);
    expect([finding?.code, finding?.fix]).toEqual(["carrier_unmatched", null]);
  });

  test("names no company for a carrier if several share the name", async () => {
    const file = writeLines("names.ndjson", [one({ carrier: "Hummana", insurance_company: null })]);
    const companies = [1, 2].map((id) => ({ id, carrier: "Humana" }));
    const [finding] = await findingsIn(file, companies);
    expect(finding?.fix?.values).toEqual({ carrier: "Humana" });
  });

  test("keeps the day of a date of birth, unless it is in the future", async () => {
    const fixOf = async (dob: unknown) => (await findingsOf(legacyPatient(1, { dob })))[0]?.fix?.values;
    expect(await fixOf("1980-05-17 ")).toEqual({ dob: "1980-05-17" });
    expect(await fixOf(" 2999-05-17")).toBeUndefined();
  });

  test.each<[string, string, boolean]>([
    ["humana", "hummana", true],
    ["humana", "humna", true],
    ["humana", "humsna", true],
    ["humana", "hmuana", true],
    ["humana", "humana", false],
    ["humana", "hummanaa", false],
    ["abc", "abd", false],
  ])("%s and %s differ by one typing error: %s", (a, b, is) => {
    expect(isOneTypoAway(a, b)).toBe(is);
  });
});

describe("an export in another format", () => {
  const faulty = [legacyPatient(1, { dob: "never" }), legacyPatient(2), legacyPatient(3, { first_name: null })];
  const page = (results: object[]) => ({ next: null, previous: null, results });
  test.each<[string, string]>([
    ["a JSON array", JSON.stringify(faulty)],
    ["a JSON array on many lines, with a byte order mark", `\uFEFF${JSON.stringify(faulty, null, 2)}`],
    ["a saved response", JSON.stringify(page(faulty))],
    ["a saved response on many lines", JSON.stringify(page(faulty), null, 2)],
    [
      "saved responses, one per line",
      [page(faulty.slice(0, 2)), page(faulty.slice(2))].map((one) => JSON.stringify(one)).join("\n"),
    ],
    ["lines that end with CR LF", faulty.map((one) => JSON.stringify(one)).join("\r\n")],
  ])("%s has the same findings", async (_form, text) => {
    const findings = await findingsIn(writeLines("form.json", [text]));
    expect(findings.map(({ patient, code }) => [patient, code])).toEqual([
      [1001, "patient_dob_invalid"],
      [1003, "patient_identity_missing"],
    ]);
  });

  const CSV = [
    "MRN,First Name,Last Name,Date of Birth,Gender,Insurance ID,Priority,Payer,Policy Number,Copay,Effective Date,Notes",
    '7,Ann,"Lee, Jr.",1980-05-17,Female,70,primary,Humana,M1,$20,2015-01-01,old',
    '7,Ann,"Lee, Jr.",1980-05-17,Female,71,secondary,Hummana,M2,,2015-01-01,',
    "8,Bob,Ray,,Male,,,,,,,",
  ];

  test.each([",", ";", "\t"])(
    "CSV with %j between its columns is read by its headings, one insurance per row",
    async (sign) => {
      const lines = sign === "," ? CSV : CSV.map((line) => line.replace('"Lee, Jr."', "Lee").replaceAll(",", sign));
      const findings = await findingsIn(writeLines("export.csv", lines));
      expect(findings.map(({ patient, insurance, code }) => [patient, insurance, code])).toEqual([
        [7, 70, "decimal_invalid"],
        [7, 71, "carrier_unmatched"],
        [8, null, "patient_identity_missing"],
      ]);
    },
  );

  test("CSV is read by the columns that the user specifies", async () => {
    const file = writeLines("export.csv", ["a,b,c,d,e", "7,Ann,Lee,1980-05-17,prime"]);
    const companies = writeLines("companies.ndjson", COMPANIES);
    const fields = ["patient.id", "patient.first_name", "patient.last_name", "patient.dob", "insurance.rank"];
    const columns = writeLines("columns.json", [
      Object.fromEntries([..."abcde"].map((heading, at) => [heading, fields[at]])),
    ]);
    const args = ["check", file, "--companies", companies, "--columns", columns, "--json"];
    const { code, stdout } = await runScript("crosswalk.mjs", args);
    expect([code, stdout.match(/"code":"\w+"/g)]).toEqual([
      1,
      ["rank_unknown", "member_id_missing", "carrier_missing", "sex_unknown", "insurance_id_invalid"].map(
        (found) => `"code":"${found}"`,
      ),
    ]);
    const wrong = await runScript("crosswalk.mjs", [...args.slice(0, -2), companies]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("must contain a JSON object that maps headings"),
    ]);
  });

  test.each<[string, string, number]>([
    ["an array that is cut off", JSON.stringify(faulty).slice(0, -40), 3],
    ["an array with something else in it", JSON.stringify([faulty[1], 7]), 2],
    ["a page that is cut off", JSON.stringify(page(faulty), null, 2).slice(0, -60), 3],
  ])("%s says where", async (_form, text, place) => {
    const unreadable: unknown[] = [];
    const file = writeLines("cut.json", [text]);
    for await (const checked of checkFile({ source: await fileSource(file), companies: COMPANIES, asOf: AS_OF })) {
      if ("reason" in checked) unreadable.push(checked.line);
    }
    expect(unreadable).toEqual([place]);
  });
});

describe("on the command line", () => {
  test("an unreadable line is an error, and the others are checked", async () => {
    const file = writeLines("unreadable.ndjson", ["{", legacyPatient(1), "[]"]);
    const companies = writeLines("companies.ndjson", COMPANIES);
    const { code, stdout } = await runScript("crosswalk.mjs", ["check", file, "--companies", companies]);
    expect(code).toBe(1);
    expect(stdout).toContain("line 1: is not JSON in UTF-8");
    expect(stdout).toContain("line 3: is not a JSON object");
    expect(stdout).toContain("3 records with 1 insurance: 1 can be converted, 2 can't yet.");
  });

  test.each<[string[], string]>([
    [[], "Usage:"],
    [["chekc"], '"chekc" is not a command'],
    [["check"], "FILE is required"],
    [["check", "a.ndjson"], "--companies is required"],
    [["check", "a.ndjson", "--companies", "b", "--as-of", "2025-02-30"], "--as-of must be a date"],
    [["check", "nowhere.ndjson", "--companies", "b"], "FILE nowhere.ndjson can't be read: the file does not exist"],
    [["check", "a", "--companys", "b"], "--companys"],
  ])("%j is a usage error: 2", async (args, says) => {
    const { code, stdout, stderr } = await runScript("crosswalk.mjs", args);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(says);
  });
});
