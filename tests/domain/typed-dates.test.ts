// Dates as people type them, and what a search at the front desk means.
import { describe, expect, test } from "vitest";
import { readSearch } from "@/lib/insurance/patients/search-terms";
import { readBirthDate, readDate, readTypedDates } from "@/lib/platform/typed-date";

describe("a typed date", () => {
  test.each([
    "11/8/1979",
    "11-8-1979",
    "11.08.1979",
    "11 8 1979",
    "1979-11-08",
    "1979/11/8",
    "11081979",
    "19791108",
    "Nov 8 1979",
    "nov. 8, 1979",
    "November 8th, 1979",
    "8 Nov 1979",
    "8-Nov-1979",
    " 08 november 1979 ",
  ])("%s is November 8, 1979", (text) => {
    expect(readTypedDates(text)).toEqual(["1979-11-08"]);
  });

  test.each(["11-8-79", "11/8/79", "110879", "Nov 8 79"])("%s can be in two centuries", (text) => {
    expect(readTypedDates(text)).toEqual(["2079-11-08", "1979-11-08"]);
  });

  test.each([
    "",
    "11/8",
    "13/8/1979",
    "2/30/1980",
    "1979",
    "11/8/197",
    "Nov 1979",
    "0000-01-01",
    "1/1/0000",
    "Nov 8 1979 x",
    "12345678901",
  ])("%s is not a date", (text) => expect(readTypedDates(text)).toEqual([]));
});

describe("a typed date of one field", () => {
  const TODAY = "2026-11-22";

  test.each([
    ["11-8-79", "1979-11-08", "1979-11-08"],
    ["1/1/26", "2026-01-01", "2026-01-01"],
    ["12/31/26", "2026-12-31", "1926-12-31"],
    ["6/30/60", "2060-06-30", "1960-06-30"],
    ["11081979", "1979-11-08", "1979-11-08"],
    ["Nov 8 1979", "1979-11-08", "1979-11-08"],
    ["2/29/00", "2000-02-29", "2000-02-29"],
  ])("%s is %s, and %s as a date of birth", (text, date, birth) => {
    expect(readDate(text, TODAY)).toEqual({ value: date });
    expect(readBirthDate(text, TODAY)).toEqual({ value: birth });
  });

  test("needs four digits of the year if both centuries are far away", () => {
    expect(readDate("1/1/76", TODAY)).toEqual({ problem: "Enter all four digits of the year." });
    expect(readBirthDate("1/1/76", TODAY)).toEqual({ value: "1976-01-01" });
  });

  test("can be any day of the calendar, but a birth can't be in the future or before 1870", () => {
    expect(readDate("12/31/9999", TODAY)).toEqual({ value: "9999-12-31" });
    expect(readBirthDate("11/23/2026", TODAY)).toEqual({ problem: "A date of birth can't be in the future." });
    for (const text of ["12/31/1869", "13/1/1980", "2/30/1980", "soon", "1980", ""])
      expect(readBirthDate(text, TODAY)).toEqual({ problem: "Enter a date as month/day/year, such as 5/17/1980." });
  });
});

describe("a search", () => {
  const number = { dates: [], year: null, member: "", phone: "", id: null };
  const read = (search: string) => readSearch(search, 2026);

  test("separates names and payers from dates and numbers", () => {
    expect(read(" Lopez,  Maria 5/17/1980 ")).toEqual([
      { names: ["lopez"], carriers: ["lopez"] },
      { names: ["maria"], carriers: ["maria", "lopez maria"] },
      { ...number, dates: ["1980-05-17"], member: "5171980" },
    ]);
  });

  test("reads dates of several words, and more than one", () => {
    expect(read("may 17, 1980 lopez 8 Nov 1979")).toEqual([
      { names: ["lopez"], carriers: ["lopez"] },
      { ...number, dates: ["1980-05-17"] },
      { ...number, dates: ["1979-11-08"] },
    ]);
  });

  test("separates names at hyphens, but not payers", () => {
    expect(read("Abernethy-Cole O'Brien -")).toEqual([
      { names: ["abernethy", "cole"], carriers: ["abernethy-cole"] },
      { names: ["o'brien"], carriers: ["o'brien", "abernethy-cole o'brien"] },
      { names: ["-"], carriers: ["-", "o'brien -", "abernethy-cole o'brien -"] },
    ]);
  });

  test("reads four digits from 1900 to this year as a year, too", () => {
    expect(read("1900 2026 1899 2027 198 19800")).toMatchObject([
      { year: 1900, member: "1900", id: 1900 },
      { year: 2026, member: "2026", id: 2026 },
      ...Array(4).fill({ year: null }),
    ]);
    expect(read("1980-")).toMatchObject([{ year: null, member: "1980" }]);
  });

  test.each(["(207) 555-0143", "207-555-0143", "+1 207 555 0143", "207.555.0143", "2075550143", "1-207-555-0143"])(
    "reads the phone number %s",
    (text) => expect(read(text)).toMatchObject([{ phone: "2075550143" }]),
  );

  test.each([
    ["XYZ-123 456", ["xyz123", "456"]],
    ["xyz.123/45", ["xyz12345"]],
    ["M0142-77", ["m014277"]],
  ])("reads %s as member IDs %j", (text, members) => {
    expect(read(text)).toMatchObject(members.map((member) => ({ member, phone: "" })));
  });

  test("ignores everything after six terms", () => {
    expect(read("a b c d e f g 1")).toHaveLength(6);
  });

  test("returns at most six terms for hostile text", () => {
    for (const text of [
      "1".repeat(200),
      "jan ".repeat(50),
      "1-".repeat(100),
      "(207) ".repeat(33),
      "9 jan 9 ".repeat(25),
    ])
      expect(read(text).length).toBeLessThanOrEqual(6);
  });
});
