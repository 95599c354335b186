// Staff input for fields that are free text in the contract is normalized, or rejected with a message that says what to enter.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formProblems } from "@/components/policies/form-problems";
import { emptyForm, type PolicyForm } from "@/components/policies/form-values";
import { readEntries, readEntry } from "@/lib/insurance/fields/entry-rules";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import { isMaskedSsn, maskSsn } from "@/lib/insurance/fields/masked-ssn";
import { toFieldErrors, validate } from "@/lib/platform/http/validation";
import { badValues, bodyWith, fieldsOf, inputSchema, sampleOf, VALIDATOR_MESSAGES } from "../support/bad-values";
import { rounds } from "../support/rounds";
import { STAFF_ENDPOINTS } from "../support/staff-world";

const TODAY = "2026-11-22";

test.each([
  ["insured_person_dob", "5/17/80", "1980-05-17"],
  ["insured_person_dob", "05/17/1980", "1980-05-17"],
  ["insured_person_dob", "5-17-1980", "1980-05-17"],
  ["insured_person_dob", " 1980-5-7 ", "1980-05-07"],
  ["insured_person_dob", "05171980", "1980-05-17"],
  ["insured_person_dob", "May 17, 1980", "1980-05-17"],
  ["insured_person_dob", "11/22/26", "2026-11-22"],
  ["insured_person_dob", "11/23/26", "1926-11-23"],
  ["insured_person_dob", "2/29/00", "2000-02-29"],
  ["insured_person_dob", "1/1/99", "1999-01-01"],
  ["start_date", "1/5/26", "2026-01-05"],
  ["end_date", "Dec 31 2026", "2026-12-31"],
  ["copay", "25.5", "25.5"],
  ["insured_person_zip", "04843", "04843"],
  ["zip", "048431234", "04843-1234"],
  ["zip", "04843 1234", "04843-1234"],
  ["phone", "(207) 555-0110", "207-555-0110"],
  ["phone", "1 207.555.0110", "207-555-0110"],
  ["phone", "+1 207 555 0110", "207-555-0110"],
  ["phone", "+44 20 7946 0958", "+442079460958"],
  ["extension", "12", "12"],
  ["insured_person_ssn", "123456789", "123-45-6789"],
  ["insured_person_ssn", "123 45 6789", "123-45-6789"],
  ["insured_person_gender", "f", "F"],
  ["insured_person_state", "me", "ME"],
  ["carrier", " anything ", " anything "],
])("%s: %s is read as %s", (field, typed, value) => {
  expect(readEntry(field, typed, TODAY)).toEqual({ value });
});

test.each([
  ["insured_person_dob", ["yesterday", "13/1/1980", "2/30/1980", "2/29/1900", "1980", "1/1/1750", "5/17/080"]],
  ["insured_person_dob", ["11/23/2026", "2026-11-23", "12/31/2099"]],
  ["start_date", ["soon", "2/30/2026", "1/1/76"]],
  ["deductible", ["much", "1,5", "123456789"]],
  ["insured_person_zip", ["abc", "1234", "123456", "04843-12", "04843-12345", "O4843"]],
  ["zip", ["abc"]],
  ["phone", ["12", "555-0110", "207-555-01100", "107-555-0110", "call me", "+", "+12", "2075550110 x3"]],
  ["extension", ["x12", "1234567"]],
  ["insured_person_ssn", ["123-45-678", "1234567890", "abc-de-fghi", "12-345-6789"]],
  ["insured_person_gender", ["female", "1"]],
  ["state", ["Maine", "M1"]],
])("%s: %j are rejected with a message", (field, values) => {
  for (const typed of values) {
    const entry = readEntry(field, typed, TODAY);
    expect("problem" in entry && entry.problem, typed).toMatch(/^(Enter|A date) [^"]+\.$/);
  }
});

test("normalized values stay the same, fit the contract, and a date of birth is never in the future", () => {
  const part = fc.constantFrom(..."0123456789-/. +()xXaM".split(""));
  const typed = fc.oneof(
    fc.string({ unit: part, maxLength: 16 }),
    fc.tuple(fc.nat(13), fc.nat(32), fc.nat(2100)).map((parts) => parts.join("/")),
  );
  fc.assert(
    fc.property(fc.constantFrom(...INSURANCE_FIELDS), typed, (field, text) => {
      const entry = readEntry(field, text, TODAY);
      if ("problem" in entry) return;
      expect(readEntry(field, entry.value, TODAY)).toEqual(entry);
      const limit = TEXT_LIMITS[field as keyof typeof TEXT_LIMITS];
      if (limit && text.length <= limit) expect(entry.value.length).toBeLessThanOrEqual(limit);
      if (field === "insured_person_dob" && text.trim() !== "") expect(entry.value <= TODAY).toBe(true);
    }),
    { numRuns: rounds(3_000) },
  );
});

test("stored values stay unchanged, valid or not; an SSN that comes back masked is the stored one", () => {
  const stored = { insured_person_zip: "abc", phone: "12", insured_person_ssn: "123-45-6789" };
  const masked = { ...stored, insured_person_ssn: maskSsn("123-45-6789") };
  expect(masked.insured_person_ssn).toBe("•••-••-6789");
  expect(readEntries(masked, [stored], TODAY)).toEqual({ fields: stored, problems: null });
  const { problems } = readEntries({ ...masked, phone: "13", insured_person_zip: "abcd" }, [stored], TODAY);
  expect(Object.keys(problems ?? {})).toEqual(["insured_person_zip", "phone"]);
  expect(readEntries({ insured_person_ssn: "•••-••-0000" }, [stored], TODAY).problems).toEqual({
    insured_person_ssn: ["Enter the full SSN again."],
  });
  for (const ssn of ["123-45-6789", "6789", "1", "123456789"]) expect(isMaskedSsn(maskSsn(ssn))).toBe(true);
});

const HOLDER = { id: 1, first_name: "Maria", last_name: "Santos", dob: "1980-05-17" };

describe("the form of a policy", () => {
  const typed = (fields: Partial<PolicyForm>) => formProblems({ ...emptyForm(), ...fields }, HOLDER, null);

  test("reports everything that is wrong at once", () => {
    const wrong = {
      insured_person_dob: "soon",
      insured_person_zip: "abc",
      phone: "12",
      member_id: "x".repeat(51),
      copay: "much",
      start_date: "2026-02-01",
      end_date: "2026-01-01",
    };
    expect(Object.keys(typed(wrong)).sort()).toEqual(
      ["copay", "end_date", "insured_person_dob", "insured_person_zip", "member_id", "phone"].sort(),
    );
  });

  test("accepts dates as they are typed, and compares what they mean", () => {
    expect(typed({ start_date: "12/31/25", end_date: "Jan 1 2026" })).toEqual({});
    expect(typed({ start_date: "Jan 2 2026", end_date: "1-1-2026" })).toEqual({
      end_date: "Termination date is before the effective date.",
    });
    expect(Object.keys(typed({ start_date: "soon", end_date: "1-1-2026" }))).toEqual(["start_date"]);
  });

  test("never uses the validator's wording or field names in its messages", () => {
    const values = [
      "x".repeat(300),
      "💊".repeat(120),
      "no",
      "-",
      "2023-02-30",
      "12345678901.999",
      "\u0000",
      "•••-••-0000",
    ];
    const messages = [...Object.keys(emptyForm())].flatMap((field) =>
      values.flatMap((value) => Object.values(typed({ [field]: value }))),
    );
    expect(messages.length).toBeGreaterThan(60);
    for (const words of messages) {
      expect(`"${words}"`).not.toMatch(VALIDATOR_MESSAGES);
      expect(words).toMatch(/^[A-Z][^_]+\.$/);
    }
  });
});

describe("every staff form", () => {
  const withBody = STAFF_ENDPOINTS.flatMap(({ method, path, declaration }) => {
    const { schema } = (declaration.body ?? {}) as { schema?: Parameters<typeof inputSchema>[0] };
    return schema ? [{ name: `${method} ${path}`, schema }] : [];
  });

  test("is found by its schema", () => {
    expect(withBody.length).toBeGreaterThan(20);
  });

  test.each(withBody)("$name: no message uses the validator's wording", ({ schema }) => {
    const root = inputSchema(schema);
    const base = root.properties
      ? Object.fromEntries(Object.entries(root.properties).map(([name, node]) => [name, sampleOf(node)]))
      : sampleOf(root);
    for (const field of fieldsOf(root)) {
      for (const { json, path } of badValues(field, { anywhere: false, huge: false })) {
        const { error } = validate(schema, JSON.parse(bodyWith(base, { path, json })));
        if (error) expect(JSON.stringify(toFieldErrors(error.issues))).not.toMatch(VALIDATOR_MESSAGES);
      }
    }
    const { error } = validate(schema, null);
    expect(JSON.stringify(toFieldErrors(error?.issues ?? []))).not.toMatch(VALIDATOR_MESSAGES);
  });
});
