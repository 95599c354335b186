// The formats of an export: compressed, in other encodings, as a workbook, through a pipe; and files in none of these formats.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readCompaniesFile, readRunCompanies } from "@/lib/migration/read/companies-file";
import { readRecords } from "@/lib/migration/read/read-records";
import { readWorkbook } from "@/lib/platform/files/read-workbook";
import type { OpenZip } from "@/lib/platform/files/read-zip";
import { fileSource, textSource } from "@/lib/platform/files/source";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";
import { programOf } from "@/scripts/lib/programs.mjs";
import { seedBasics } from "../support/api";
import { COMPANIES, countStores, legacyPatient, writeLines } from "../support/legacy-export";
import { convert, createCheckedRun, seedMigratingPractice } from "../support/migration-runs";
import { type Cell, workbookOf, zipOf } from "../support/packed-files";

function write(name: string, content: Buffer | string): string {
  const file = path.join(process.env.CROSSWALK_DATA_DIR as string, name);
  fs.writeFileSync(file, content);
  return file;
}

async function readFrom(file: string): Promise<Record<string, unknown>[]> {
  const read: Record<string, unknown>[] = [];
  for await (const one of readRecords(await fileSource(file))) {
    if ("reason" in one) read.push({ line: one.number, reason: one.reason });
    else read.push(one.faults ? { ...one.record, faults: one.faults } : { ...one.record });
  }
  return read;
}

const idsIn = async (file: string) => (await readFrom(file)).map(({ id, reason }) => id ?? reason);
const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};

const NDJSON = [1, 2, 3].map((n) => JSON.stringify(legacyPatient(n))).join("\n");
const CSV = "patient_id,first name,dob\n1001,René,1980-05-17\n1002,Ann,1980-05-17\n1003,Bob,1980-05-17\n";
const SHEET: Cell[][] = [
  ["patient_id", "first name", "dob", "insurance.id", "carrier", "copay"],
  [1001, "René & Co", { day: 29358 }, 11, "Humana", 20.1],
  [1002, "Ann", "1980-05-17", 12, "Aetna"],
  [1001, null, { day: 29358.75 }, 13, { xml: '<c t="inlineStr"><is><t>Cigna</t></is></c>' }, null],
];

describe("an export is read", () => {
  test.each<[string, Buffer | string]>([
    ["compressed with gzip", gzipSync(NDJSON)],
    ["an array compressed with gzip", gzipSync(`[${NDJSON.replaceAll("\n", ",")}]`)],
    [
      "CSV compressed with zip, next to the files that zip tools add",
      zipOf({ "__MACOSX/._a.csv": "x", "out/": "", "out/a.csv": CSV }),
    ],
    ["in UTF-16, little endian", utf16(CSV)],
    ["in UTF-16, big endian", utf16(NDJSON, true)],
    ["in UTF-16, compressed", gzipSync(utf16(CSV))],
    ["with the byte order mark of UTF-8", `\uFEFF${CSV}`],
    ["CSV with semicolons, declared as Excel does", `sep=;\r\n${CSV.replaceAll(",", ";").replaceAll("\n", "\r\n")}`],
    ["CSV with tabs", CSV.replaceAll(",", "\t")],
    ["CSV with lines that end as on old Macs", CSV.replaceAll("\n", "\r")],
  ])("%s", async (_what, content) => {
    expect(await idsIn(write("form.bin", content))).toEqual([1001, 1002, 1003]);
  });

  test("characters keep their meaning in every encoding", async () => {
    for (const content of [CSV, utf16(CSV), gzipSync(utf16(CSV, true))]) {
      expect((await readFrom(write("names.bin", content)))[0]).toMatchObject({ first_name: "René" });
    }
  });

  test("an Excel workbook, with its dates, numbers and empty cells", async () => {
    const file = write("book.xlsx", workbookOf({ Export: SHEET, Notes: [["left empty"]] }));
    expect(await readFrom(file)).toMatchObject([
      {
        id: 1001,
        first_name: "René & Co",
        dob: "1980-05-17",
        insurances: [
          { id: 11, carrier: "Humana", copay: "20.1" },
          { id: 13, carrier: "Cigna", copay: null },
        ],
      },
      { id: 1002, dob: "1980-05-17", insurances: [{ id: 12, carrier: "Aetna", copay: null }] },
    ]);
  });

  test("cells and rows of a workbook without a position follow the previous ones", async () => {
    const cell = (text: string, place = "") => `<c ${place} t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = [
      `<row>${["patient_id", "first name", "last name", "dob"].map((heading) => cell(heading)).join("")}</row>`,
      "<row/>",
      `<row><c><v>1001</v></c><c/>${cell("Lee")}${cell("1980-05-17")}</row>`,
      `<row r="7"><c r="A7"><v>1002</v></c>${cell("Ann")}${cell("1980-05-17", 'r="D7"')}</row>`,
      `<row><c/>${cell("Bob")}</row>`,
    ];
    expect(await readFrom(write("places.xlsx", workbookOf({ Export: rows.join("") })))).toMatchObject([
      { id: 1001, first_name: null, last_name: "Lee", dob: "1980-05-17" },
      { id: 1002, first_name: "Ann", last_name: null, dob: "1980-05-17", faults: [{ line: 8 }] },
      { line: 8, reason: "has no patient ID" },
    ]);
  });

  test.each<[string, Cell[][]]>([
    ["an empty one", []],
    ["a sheet with a note", [["left empty"]]],
    ["a sheet of empty cells", [[""], ["", { xml: "<c/>" }], [" "]]],
  ])("a small sheet of a workbook, next to %s", async (_what, other) => {
    const small: Cell[][] = [["patient_id"], [1001]];
    expect(await idsIn(write("small.xlsx", workbookOf({ Sheet1: other, Export: small })))).toEqual([1001]);
    expect(await idsIn(write("small.xlsx", workbookOf({ Export: small, Sheet2: other })))).toEqual([1001]);
  });

  test.each<[format: string, number: number, text: string | null]>([
    ["00000", 2138, "02138"],
    ["00000\\-0000", 21380001, "02138-0001"],
    ["000\\-00\\-0000", 12345678, "012-34-5678"],
    ["[$-409]000-00-0000;@", 12345678, "012-34-5678"],
    ['"W"000000', 77, "W000077"],
    ["000-000", 12345678, "12345-678"],
    ["[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", 5551234, "555-1234"],
    ["[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", 6175551234, "(617) 555-1234"],
    ["000-00-0000;;", 12345678, "012-34-5678"],
    ["000-00-0000;;", 0, null],
    [`"${"x".repeat(250)}"00000`, 2138, "2138"],
    ["00000", 12.5, "12.5"],
    ["00000", -7, "-7"],
    ["0", 7, "7"],
    ["General", 7, "7"],
    ["0.00", 20.1, "20.1"],
    ['"$"#,##0.00_);[Red]("$"#,##0.00)', 1020, "1020"],
    ["00%", 0.2, "0.2"],
    ["yyyy\\-mm\\-dd;@", 29358, "1980-05-17"],
    ['[$-409]d" of "mmmm 00', 29358, "1980-05-17"],
  ])("a number of a workbook with the format %s is read: %d as %s", async (format, number, text) => {
    const sheet: Cell[][] = [
      ["patient_id", "ssn"],
      [1001, { number, format }],
    ];
    expect(await readFrom(write("digits.xlsx", workbookOf({ Export: sheet })))).toMatchObject([{ ssn: text }]);
  });

  test("ids of a workbook are numbers, even if their format shows leading zeros", async () => {
    const id = (number: number): Cell => ({ number, format: "000000" });
    const sheet: Cell[][] = [
      ["patient_id", "insurance.id", "member_id"],
      [id(1001), id(11), id(77)],
      [1001, 12, { xml: '<c t="e"><v>#N/A</v></c>' }],
      [id(1001), id(13), { xml: '<c t="e"><v>#N/A</v></c>' }],
    ];
    expect(await readFrom(write("ids.xlsx", workbookOf({ Export: sheet })))).toMatchObject([
      { id: 1001, insurances: [{ id: 11, member_id: "000077" }], faults: [{ line: 3 }, { line: 4 }] },
    ]);
    const companies = workbookOf({ A: [["id", "carrier"], ...COMPANIES.map((one) => [id(one.id), one.carrier])] });
    expect((await readCompaniesFile(write("companies.xlsx", companies))).companies).toMatchObject([{ id: 5000 }, {}]);
  });

  test.each(['"$"##0', '#0" USD"', "# ##0"])(
    "an amount of a workbook is its number, with the format %s",
    async (format) => {
      const sheet: Cell[][] = [
        ["patient_id", "insurance.id", "copay"],
        [1001, 11, { number: 20, format }],
      ];
      const file = write("amounts.xlsx", workbookOf({ Export: sheet }));
      expect(await readFrom(file)).toMatchObject([{ insurances: [{ copay: "20" }] }]);
    },
  );

  test("a cell of a workbook that shows an error rejects its row", async () => {
    const bad: Cell[] = [1002, "Ann", { xml: '<c t="e"><v>#N/A</v></c>' }, 14, "Aetna", null];
    const file = write("error.xlsx", workbookOf({ Export: [...SHEET, bad] }));
    expect((await readFrom(file))[1]).toMatchObject({
      id: 1002,
      faults: [{ line: 5, reason: "has an unreadable cell in column 3: #N/A" }],
    });
  });

  test("an export uploaded compressed or as a workbook is converted like any other", async () => {
    const { organization } = await seedBasics();
    for (const [name, content] of [
      ["a.ndjson.gz", gzipSync(NDJSON)],
      ["a.zip", zipOf({ "a.ndjson": NDJSON })],
    ] as const) {
      const practice = await seedMigratingPractice(organization);
      const companies = writeLines("companies.ndjson", COMPANIES);
      await convert(practice, await createCheckedRun(practice, write(name, content), { companies }));
      expect(await countStores(practice)).toMatchObject({ patients: 3, active: 3 });
    }
  });
});

describe("an unreadable file is reported once", () => {
  const bomb = Buffer.from(`{"a":"${"x".repeat(80 * 1024 * 1024)}"}`);
  const cut = gzipSync(NDJSON).subarray(0, -40);

  test.each<[string, Buffer | string, string]>([
    ["a gzip bomb", gzipSync(bomb), "decompresses to more than 200 times its size"],
    ["a zip bomb", zipOf({ "a.json": bomb }), "decompresses to more than 200 times its size"],
    ["a zip file that lies about its size", zipOf({ "a.csv": CSV }, { unpacked: 10 }), "The zip file is damaged"],
    ["a zip file with a digit changed", zipOf({ "a.csv": CSV }, { checksum: 1 }), "a.csv has a wrong checksum"],
    ["a gzip file that is cut off", cut, "damaged or cut off"],
    ["a zip file with two exports", zipOf({ "a.csv": CSV, "b.csv": CSV }), "has 2 files (a.csv, b.csv)"],
    ["an empty zip file", zipOf({}), "The zip file is empty"],
    ["a zip file within another", zipOf({ "a.zip": zipOf({ "a.csv": CSV }) }), "contains another compressed file"],
    [
      "a workbook with two sheets of data",
      workbookOf({ A: manyRows(), B: manyRows() }),
      "several sheets with data (A, B)",
    ],
    [
      "a workbook with a small sheet next to a large one",
      workbookOf({ A: manyRows(), B: manyRows().slice(0, 2) }),
      "several sheets with data (A, B)",
    ],
    ["a workbook that is damaged", zipOf({ "xl/workbook.xml": "<workbook><sheets>" }), "The workbook is damaged"],
    ["an old workbook", Buffer.from("d0cf11e0a1b11ae10000", "hex"), "an old Excel workbook (.xls)"],
    ["a PDF document", "%PDF-1.7\n1 0 obj\n<<>>\n", "a PDF document"],
    ["XML", "<patients>\n<patient/>\n</patients>\n", "XML or HTML"],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d", "hex"), "The format of the file is unknown."],
    ["words", "Dear all\nplease find attached\n", "An export is NDJSON, a JSON array"],
  ])("%s", async (_what, content, says) => {
    await expect(readFrom(write("whole.bin", content))).rejects.toThrow(says);
  });

  function manyRows(): Cell[][] {
    return Array.from({ length: 200 }, (_, at) => [at, "A", "B"]);
  }
});

test("a failing disk is not reported as a damaged workbook", async () => {
  const failure = Object.assign(new Error("EIO: i/o error, read"), { errno: -5, code: "EIO", syscall: "read" });
  const zip: OpenZip = {
    entries: new Map([["xl/workbook.xml", { uncompressedSize: 1 } as never]]),
    // biome-ignore lint/correctness/useYield: it fails before its first bytes.
    contents: async function* () {
      throw failure;
    },
    close: () => {},
  };
  await expect(readWorkbook(zip).next()).rejects.toBe(failure);
  expect(describeSystemFailure(failure)).toBe("A file can't be read or written: its disk has failed (EIO, read).");
});

describe("on the command line", () => {
  const run = (command: string) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      let text = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
      child.once("close", (code) => resolve({ code, text }));
    });

  test.each<[string, (program: string) => string]>([
    ["process substitution", (program) => `${program} <(gunzip -c export.gz) --companies companies.ndjson`],
    ["standard input", (program) => `gunzip -c export.gz | ${program} - --companies companies.ndjson`],
    ["a pipe for the companies", (program) => `${program} export.gz --companies <(cat companies.ndjson)`],
  ])("%s", async (_what, command) => {
    const folder = path.dirname(write("export.gz", gzipSync(NDJSON)));
    writeLines("companies.ndjson", COMPANIES);
    const program = `${process.execPath} ${path.resolve(programOf("crosswalk-check.ts"))}`;
    const { code, text } = await run(`cd ${folder} && ${command(program)}`);
    expect([code, text]).toEqual([0, expect.stringContaining("3 records with 3 insurances: 3 can be converted")]);
  });
});

describe("companies", () => {
  const expected = COMPANIES.map(({ id, carrier }) => ({ id, carrier }));
  const rows = COMPANIES.map(({ id, carrier, city, state }) => `${id};${carrier};${city};${state}`);

  test.each<[string, Buffer | string]>([
    ["one a line", COMPANIES.map((one) => JSON.stringify(one)).join("\n")],
    ["a JSON array", JSON.stringify(COMPANIES, null, 2)],
    ["CSV", ["Company ID;Name;City;State", ...rows].join("\r\n")],
    ["a workbook", workbookOf({ A: [["id", "carrier"], ...expected.map(({ id, carrier }) => [id, carrier])] })],
    ["compressed", gzipSync(JSON.stringify(COMPANIES))],
    ["none", ""],
  ])("%s", async (what, content) => {
    const { companies } = await readCompaniesFile(write("companies.bin", content));
    expect(companies).toEqual(what === "none" ? [] : expected);
  });

  test.each<[string, string, string]>([
    ["a row without a carrier", "id,carrier\n1,\n", "Line 2"],
    ["headings that name no company", "a,b\n1,Humana\n", "The headings must include an id and a carrier."],
    [
      "more companies than a run stores",
      `id,carrier\n${Array.from({ length: 20_001 }, (_, at) => `${at + 1},A`).join("\n")}`,
      "more than 20000",
    ],
  ])("%s is rejected", async (_what, text, says) => {
    await expect(readRunCompanies(textSource(text))).rejects.toMatchObject({
      fields: { companies: [expect.stringContaining(says)] },
    });
  });
});
