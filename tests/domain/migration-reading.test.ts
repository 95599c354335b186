// Reading a faulty export for the conversion checks: valid records are read, and each fault is reported at its place.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { checkFile } from "@/lib/migration/check/check-file";
import type { Finding } from "@/lib/migration/findings/checks";
import type { Columns } from "@/lib/migration/record/columns";
import type { RawRecord } from "@/lib/migration/record/raw-record";
import { fileSource } from "@/lib/platform/files/source";
import { programOf } from "@/scripts/lib/programs.mjs";
import { COMPANIES, legacyPatient, writeLines } from "../support/legacy-export";
import { runScript } from "../support/run-script";

const AS_OF = "2025-10-01";
const MAY_BE = "has no patient ID, and may belong to this patient.";

/**
 * Lists the IDs of the patients that were read, and the place and reason of each rejection, in file order.
 * Rejected rows follow their patient: `2 ✗ Line 3 has 2 cells, …`.
 */
async function readIn(file: string, columns?: Columns): Promise<unknown[]> {
  const read: unknown[] = [];
  const source = await fileSource(file);
  for await (const checked of checkFile({ source, companies: COMPANIES, asOf: AS_OF, columns }))
    read.push("reason" in checked ? `${checked.line}: ${checked.reason}` : describePatient(checked));
  return read;
}

function describePatient({ patient, findings }: { patient: RawRecord; findings: readonly Finding[] }): unknown {
  const rejected = findings.filter(({ code }) => code === "row_rejected").map(({ message }) => message);
  return rejected.length === 0 ? patient.id : `${patient.id} ✗ ${rejected.join(" ")}`;
}

describe("unreadable input", () => {
  const [a, b, c] = [1, 2, 3].map((n) => JSON.stringify(legacyPatient(n)));
  const BAD = "is not JSON in UTF-8";
  const page = (...records: unknown[]) => `{\n"next": null,\n"results": [${records.join(",\n")}]\n}`;

  test.each<[string, string, unknown[]]>([
    ["a fault in an array rejects only its own record", `[${a}, {"id": 1,, }, ${c}]`, [1001, `2: ${BAD}`, 1003]],
    ["a fault in a page does the same", page(a, '{"id" 1}', c), [1001, `2: ${BAD}`, 1003]],
    ["an extra comma", `[${a},]`, [1001, `2: ${BAD}`]],
    ["an extra bracket", `[${a}, ${b}}, ${c}]`, [1001, 1002, "3: is not JSON from here on"]],
    ["an unclosed quote", `[${a}, ${b}, {"id": "x}, ${c}]`, [1001, 1002, "3: is not JSON from here on"]],
    ["an empty array", "[ ]", []],
    ["something after the array", `[${a}] x`, [1001, "2: is not JSON from here on"]],
    ["a page within an array", `[${a}, {"results": [${b}, 7]}]`, [1001, 1002, "2: results[1] is not a JSON object"]],
    ["a single record on many lines", JSON.stringify(legacyPatient(1), null, 2), [1001]],
    ["insurances that are not a list", '{"id": 1, "insurances": {"id": 2}}', ["1: insurances is not a list"]],
    ["an insurance that is a list", '{"id": 1, "insurances": [{}, []]}', ["1: insurances[1] is not a JSON object"]],
    ["images of a card", '{"insurance_cards": [{"images": 1}]}', ["1: insurance_cards[0].images is not a list"]],
  ])("%s", async (_what, text, expected) => {
    const read = await readIn(writeLines("bad.json", [text]));
    expect(
      read.map((one) => (typeof one === "string" ? one.replace(/ from here on .*/, " from here on") : one)),
    ).toEqual(expected);
  });

  test("a fault far into the file is reported at its place, after everything before it is read", async () => {
    const many = Array.from({ length: 3000 }, (_, n) => JSON.stringify(legacyPatient(n)));
    const read = await readIn(writeLines("many.json", [`[${many.join(",")}, oops`]));
    expect([read.length, read.at(-2), read.at(-1)]).toEqual([
      3001,
      3999,
      `3001: is not JSON from here on (byte ${many.join(",").length + 3}): it ends too early`,
    ]);
  });

  test.each<[string, string[], unknown[]]>([
    ["a row with too few cells", ["1,A,B", "2,C", "3,D,E,,"], [1, "2 ✗ Line 3 has 2 cells for 3 headings.", 3]],
    [
      "a row with too many cells, which may contain the next row",
      ["1,A,B", "2,C,D3,E,F", "4,G,H", "5,I,J"],
      [`1 ✗ Line 3 ${MAY_BE}`, "3: has 5 cells", `4 ✗ Line 3 ${MAY_BE}`, 5],
    ],
    ["a quote within a cell", ['1,A "x" y,B', '2,"C" d,E', "3,F,G"], [1, 2, 3]],
    ["a cell on several lines", ['1,"A', "", 'x ""y""",B', "2,C,D"], [1, 2]],
    [
      "an unclosed quote rejects only its own line",
      ["1,A,B", '2,"C,D', "3,E,F", '4,"G",H', "5,I,J"],
      [1, "2 ✗ Line 3 is not CSV: a quote is opened and not closed.", 3, 4, 5],
    ],
    [
      "a quote in place of the id",
      ["1,A,B", '",C,D', "3,E,F"],
      [`1 ✗ Line 3 ${MAY_BE}`, "3: is not CSV", `3 ✗ Line 3 ${MAY_BE}`],
    ],
    ["other characters in cells", ["1,A;B;C,D\tE"], [1]],
    ["rows of empty cells", ["1,A,B", ",,", " , ,", "2,C,D"], [1, 2]],
    ["separated rows of one patient", ["1,A,B", "2,C,D", "1,A,B"], [1, 2]],
    [
      "an invalid row of a patient whose other rows are elsewhere",
      ["1,A,B", "2,C,D", "1"],
      ["1 ✗ Line 4 has 1 cells", 2],
    ],
    [
      "a row without an id",
      ["1,A,B", ",C,D", "3,E,F"],
      [`1 ✗ Line 3 ${MAY_BE}`, "3: has no patient ID", `3 ✗ Line 3 ${MAY_BE}`],
    ],
    [
      "a row with another cell in place of the id",
      ["1,A,B", "C,D,", "E,F,", "3,G,H", "4,I,J"],
      [
        `1 ✗ Line 3 ${MAY_BE} Line 4 ${MAY_BE}`,
        "3: has a patient ID that is not a number",
        "4: has a patient ID that is not a number",
        `3 ✗ Line 3 ${MAY_BE} Line 4 ${MAY_BE}`,
        4,
      ],
    ],
    ["rows that contradict each other", ["1,A,B", "1,C,D"], ["1 ✗ Line 3 has a different first_name than line 2."]],
    ["a name in only one of the rows", ["1,,B", "1,A,C"], [1]],
    ["IDs with leading zeros", ["007,A,B", "7,C,D"], ["007", 7]],
  ])("CSV: %s", async (_what, rows, expected) => {
    const read = await readIn(writeLines("bad.csv", ["patient_id,first name,id", ...rows]));
    expect(read.length, JSON.stringify(read)).toBe(expected.length);
    for (const [at, one] of expected.entries()) {
      if (typeof one === "string" && /[:✗]/.test(one)) expect(read[at]).toContain(one);
      else expect(read[at]).toBe(one);
    }
  });

  test("bytes that are not UTF-8", async () => {
    const file = writeLines("latin1.csv", []);
    fs.writeFileSync(file, Buffer.from("\u00EF\u00BB\u00BFid,first name\n1,Ann\n2,Ren\u00E9\n3,Bob\n", "latin1"));
    expect(await readIn(file)).toEqual([1, "2 ✗ Line 3 is not UTF-8.", 3]);
    fs.writeFileSync(file, Buffer.from('[{"id": 1}, {"id": "\u00E9"}, {"id": 3}]', "latin1"));
    expect(await readIn(file)).toEqual([1, `2: ${BAD}`, 3]);
  });

  test.each<[string, string]>([
    [
      "first name,last name",
      "No column maps to the patient ID (patient.id). Map it with --columns. Headings: first name",
    ],
    ["id,dob,dob", 'The heading "dob" appears twice'],
  ])("CSV with the headings %s is a usage error", async (headings, says) => {
    await expect(readIn(writeLines("headings.csv", [headings, "1,2,3"]))).rejects.toThrow(says);
  });

  test("two columns can't be read as the same field", async () => {
    const columns = { id: "patient.id", dob: "patient.dob", born: "patient.dob" } as const;
    const read = readIn(writeLines("columns.csv", ["id,dob,born", "1,2,3"]), columns);
    await expect(read).rejects.toThrow('"dob" and "born" both map to patient.dob');
  });

  test("a row with only an address is not an insurance, and a company without digits is the carrier", async () => {
    const file = writeLines("columns.csv", [
      "ID,Patient_ID,Address,City,State,Zip,Phone,Insurance Company",
      "9,1,Elm St,Natick,MA,1,2,",
      "9,2,Elm St,Natick,MA,1,2,Humana",
      "9,3,Elm St,Natick,MA,1,2,5000",
    ]);
    const insurances: unknown[] = [];
    for await (const checked of checkFile({ source: await fileSource(file), companies: COMPANIES, asOf: AS_OF }))
      insurances.push("patient" in checked && [checked.patient.id, checked.patient.insurances]);
    expect(insurances).toEqual([
      [1, []],
      [2, [{ carrier: "Humana", insurance_company: null }]],
      [3, [{ insurance_company: 5000 }]],
    ]);
  });
});

describe("on the command line", () => {
  test("a reader of the output may stop early, and the exit code still reports errors", async () => {
    const file = writeLines(
      "long.ndjson",
      Array.from({ length: 5000 }, (_, n) => legacyPatient(n, { dob: null })),
    );
    const companies = writeLines("companies.ndjson", COMPANIES);
    const program = [programOf("crosswalk-check.ts"), file, "--companies", companies, "--json"];
    const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    expect([await new Promise((resolve) => child.once("close", resolve)), stderr]).toEqual([1, ""]);
  });

  test.each<[string, string[], string[], string]>([
    ["a companies file that can't be read", [JSON.stringify(legacyPatient(1))], ["{"], "Companies file, line 1"],
    ["a file without a record", [""], [], "no records found. Is this a legacy export?"],
    ["CSV without a patient's id", ["first name,dob", "Ann,1980-05-17"], [], "Headings: first name, dob"],
  ])("%s is a usage error: 2", async (_what, lines, companyLines, says) => {
    const file = writeLines("wrong.txt", lines);
    const companies = writeLines("companies.txt", companyLines);
    const { code, stderr } = await runScript("crosswalk-check.ts", [file, "--companies", companies]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  test("the command shows how the columns of a CSV file are read", async () => {
    const file = writeLines("said.csv", ["MRN,Zip,DOB", "1,2,1980-05-17"]);
    const { stderr } = await runScript("crosswalk-check.ts", [file, "--companies", writeLines("none.ndjson", [])]);
    expect(stderr).toBe("Columns read:\n  MRN: patient.id\n  DOB: patient.dob\nColumns ignored: Zip\n");
  });
});
