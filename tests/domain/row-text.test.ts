// Values are written as PostgreSQL prints them, so that texts can be compared instead of rows.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CopyRows } from "@/lib/platform/db/copy-rows";
import { copyFields, copyText, jsonbText, recordText } from "@/lib/platform/db/row-text";
import { copyInto, db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";

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

test(`rows are copied as they are (PROPERTY_SEED=${SEED})`, async () => {
  const name = fc.oneof(fc.constant(null), text, fc.constantFrom("", "\\N", "\\.", "a\tb\r\nc\\d", "€ 𝒳"));
  const samples = fc.sample(fc.record({ id: fc.integer({ min: 0, max: 2 ** 31 - 1 }), name }), {
    numRuns: 300,
    seed: SEED,
  });
  // Beyond the first 64 kB, and with characters of three bytes.
  samples.push({ id: 0, name: "x".repeat(60_000) }, { id: 1, name: "€".repeat(100_000) });
  const sent = new CopyRows();
  expect(sent.isEmpty).toBe(true);
  for (const row of samples) sent.add(copyFields(row, ["id", "name"]), "\t", copyText(jsonbText(row)));
  const read = await transaction(
    async (tx) => {
      await tx.run(
        sql`CREATE TEMP TABLE copied (place int GENERATED ALWAYS AS IDENTITY, id int, name text, json jsonb)`,
      );
      expect(await tx.run(copyInto("copied", ["id", "name", "json"], sent))).toBe(samples.length);
      tx.send(copyInto("copied", ["id"], new CopyRows()));
      return tx.rows(sql`SELECT id, name, json FROM copied ORDER BY place`);
    },
    { rollback: true },
  );
  expect(read).toEqual(samples.map((row) => ({ ...row, json: row })));
});

test.each([
  ["a lone surrogate", "a\ud800", "22021"],
  ["NUL", "a\u0000", "22021"],
  ["a text that is too long", "abcd", "22001"],
])("%s fails the copy and the statements sent with it, and the connection still works", async (_name, name, code) => {
  const rows = new CopyRows();
  rows.add(copyText(name));
  await transaction(
    async (tx) => {
      await tx.run(sql`CREATE TEMP TABLE rejected (name varchar(3))`);
      const failure = await tx.attempt(async () => {
        tx.send(copyInto("rejected", ["name"], rows));
        tx.send(sql`INSERT INTO rejected VALUES ('b')`);
      });
      expect(failure?.error).toMatchObject({ code });
      const rowsOfNoTable = tx.attempt(async () => tx.send(copyInto("absent", ["name"], new CopyRows())));
      expect((await rowsOfNoTable)?.error).toMatchObject({ code: "42P01" });
      expect(await tx.rows(sql`SELECT name FROM rejected`)).toEqual([]);
    },
    { rollback: true },
  );
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
