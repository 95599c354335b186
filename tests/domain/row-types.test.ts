// The generated types of rows have the columns of the tables, with the types that the database driver gives their values.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as generatedEnums from "@/generated/rows/enums";
import { createOrganization } from "@/lib/access/tenancy/organizations";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { NULLABLE_ARRAYS } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";

const TYPES: Record<string, string> = {
  bool: "boolean",
  bytea: "Buffer",
  date: "string",
  int2: "number",
  int4: "number",
  int8: "number",
  json: "unknown",
  jsonb: "unknown",
  numeric: "string",
  text: "string",
  timestamptz: "string",
  uuid: "string",
  varchar: "string",
};

interface Column {
  column: string;
  type: string;
  nullable: boolean;
}

/** Reads the values of each generated enum, joined. */
function readGeneratedEnums(): Map<string, string> {
  const enums = Object.entries(generatedEnums as Record<string, Record<string, string>>);
  return new Map(enums.map(([name, values]) => [name, Object.values(values).join()]));
}

/** Reads the columns of `generated/rows/tables.ts`, by table. */
function readGeneratedTypes(): Record<string, Column[]> {
  const text = readFileSync("generated/rows/tables.ts", "utf8").replace(/\/\*\*(.*?)\*\//gs, (_, comment: string) =>
    comment.includes("@kyselyType(") ? "@annotated" : "",
  );
  const models = new Map(
    [...text.matchAll(/^export type (\w+) = \{\n(.*?)^\};/gms)].map(([, name, body]) => [name, body as string]),
  );
  const enums = readGeneratedEnums();
  const typeName = (name: string) => enums.get(name) ?? name;
  const tables = [...(models.get("DB") as string).matchAll(/(\w+): (\w+);/g)];
  return Object.fromEntries(
    tables.map(([, table, model]) => [
      table,
      [...(models.get(model) as string).matchAll(/(@annotated\s*)?\b(\w+): (.*);/g)].map(
        ([, annotated, column = "", written = ""]) => {
          const declared = written.replace(/^Generated<(.*)>$/, "$1");
          const nullableArrays: Record<string, readonly string[]> = NULLABLE_ARRAYS;
          return {
            column,
            type: annotated ? "annotated" : typeName(declared.replace(/ \| null$/, "")),
            nullable: declared.endsWith(" | null") || Boolean(nullableArrays[table as string]?.includes(column)),
          };
        },
      ),
    ]),
  );
}

test("the row types have the columns of the tables, nullable where they are", async () => {
  const rows = await owner.rows<{ table: string; column: string; nullable: boolean; type: string }>(sql`
    SELECT table_name AS table, column_name AS column, is_nullable = 'YES' AS nullable, udt_name AS type
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations'
      AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::regclass)`);
  const enums = await owner.rows<{ name: string; values: string }>(sql`
    SELECT typname AS name, string_agg(enumlabel, ',' ORDER BY enumsortorder) AS values
    FROM pg_enum JOIN pg_type t ON t.oid = enumtypid GROUP BY typname`);
  for (const { name, values } of enums) TYPES[name] = values;
  const generated = readGeneratedTypes();
  expect(Object.keys(generated).sort()).toEqual([...new Set(rows.map(({ table }) => table))].sort());
  for (const [table, columns] of Object.entries(generated)) {
    const actual = rows
      .filter((row) => row.table === table)
      .map(({ column, nullable, type }) => ({
        column,
        nullable,
        type: columns.some((one) => one.column === column && one.type === "annotated") ? "annotated" : typeOf(type),
      }));
    expect(byName(columns), table).toEqual(byName(actual));
  }
});

test("the driver returns values of these types", async () => {
  const row = await db.first<Record<string, unknown>>(sql`
    SELECT true AS bool, '\x01'::bytea AS bytea, '2026-11-24'::date AS date, 1::int2 AS int2, 1::int4 AS int4, 1::int8 AS int8,
      1.50::numeric AS numeric, 'x'::text AS text, now()::timestamptz(3) AS timestamptz, gen_random_uuid() AS uuid,
      'x'::varchar AS varchar, '{1,2}'::int8[] AS _int8, '{x}'::text[] AS _text`);
  for (const [type, value] of Object.entries(row ?? {})) {
    const expected = typeOf(type);
    if (expected === "Buffer") expect(value, type).toBeInstanceOf(Buffer);
    else if (expected.endsWith("[]")) expect(`${typeof (value as unknown[])[0]}[]`, type).toBe(expected);
    else expect(typeof value, type).toBe(expected);
  }
});

test("a query of Kysely runs on a Db, and not by itself", async () => {
  const query = kysely.selectFrom("practice").select("id").where("id", "in", [-1, -2]);
  expect(await db.rows(query)).toEqual([]);
  await expect(query.execute()).rejects.toThrow("run a query with rows, first, one or run of a Db");
});

test("anyOf compares with any of the values, or with none", async () => {
  const ids = [await createOrganization("One"), await createOrganization("Two")];
  const query = kysely.selectFrom("organization").select("id").orderBy("id");
  expect(await db.rows(query.where("id", "=", anyOf([-1, ...ids])))).toEqual(ids.map((id) => ({ id })));
  expect(await db.rows(query.where("id", "=", anyOf([])))).toEqual([]);
});

/** Returns the TypeScript type of a PostgreSQL type; an array's name begins with an underscore. */
function typeOf(type: string): string {
  return type.startsWith("_") ? `${TYPES[type.slice(1)]}[]` : (TYPES[type] ?? `unmapped ${type}`);
}

function byName(columns: Column[]): Column[] {
  return columns.sort((a, b) => a.column.localeCompare(b.column));
}
