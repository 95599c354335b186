// Values are written as PostgreSQL prints them, so that texts can be compared instead of rows.
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonArray } from "@/lib/platform/db/json-array";
import { jsonbText, recordText } from "@/lib/platform/db/row-text";
import { db, sql } from "@/lib/platform/db/sql";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const text = fc
  .string({ unit: "binary", maxLength: 12 })
  .filter((one) => !one.includes("\u0000") && one.isWellFormed());
const key = fc.oneof(text, fc.constantFrom("a,b", "a", "b,c", 'q"', "c", "\\"));

test(`JSON is written as PostgreSQL prints jsonb (PROPERTY_SEED=${SEED})`, async () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 6, noNullPrototype: true }),
    ),
  }));
  const samples = fc.sample(value, { numRuns: 300, seed: SEED });
  const rows = await db.rows<{ printed: string }>(
    sql`SELECT value::jsonb::text AS printed FROM unnest(${samples.map((one) => JSON.stringify(one))}::text[]) AS value`,
  );
  expect(samples.map(jsonbText)).toEqual(rows.map(({ printed }) => printed));
});

test(`elements are sent as bytes of jsonb (PROPERTY_SEED=${SEED})`, async () => {
  const samples = fc.sample(fc.record({ id: fc.integer(), text }), { numRuns: 300, seed: SEED });
  // Beyond the first 64 kB, and with characters of three bytes.
  samples.push({ id: 0, text: "x".repeat(60_000) }, { id: 1, text: "€".repeat(100_000) });
  const sent = new JsonArray();
  for (const { id, text } of samples) sent.add(`{"id": ${id}, "text": `, JSON.stringify(text), "}");
  const none = new JsonArray();
  const read = await db.one(sql`SELECT ${sent.end()}::jsonb AS some, ${none.end()}::jsonb AS none`);
  expect(read).toEqual({ some: samples, none: [] });
});

test("fields without a value are left out of JSON", () => {
  expect(jsonbText({ bb: undefined, a: [undefined], c: null })).toBe('{"a": [null], "c": null}');
});

test(`columns are written as PostgreSQL prints a row (PROPERTY_SEED=${SEED})`, async () => {
  const time = fc
    .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true })
    .map((date) => date.toISOString());
  const columns = fc.record({
    name: fc.oneof(
      fc.constant(null),
      fc.constant(""),
      text,
      fc.constantFrom('a "b"', "c\\d", "e,f", "(g)", "h\ti", "2025-02-28T09:00:00.000Z"),
    ),
    count: fc.oneof(fc.constant(null), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    amount: fc.constantFrom("20.00", "-0.50", null),
    start_date: fc.constantFrom("2025-02-28", null),
    created_date: time,
  });
  const samples = fc.sample(columns, { numRuns: 300, seed: SEED });
  const rows = await db.rows<{ printed: string }>(sql`
    SELECT ROW(name, count, amount, start_date, created_date)::text AS printed
    FROM json_to_recordset(${JSON.stringify(samples)}::json)
      AS t(name text, count int, amount numeric(10, 2), start_date date, created_date timestamptz(3))`);
  const printed = samples.map((sample) =>
    recordText(sample, ["name", "count", "amount", "start_date", "created_date"]),
  );
  expect(printed).toEqual(rows.map((row) => row.printed));
});
