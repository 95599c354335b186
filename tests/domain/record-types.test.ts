// Stored values have the types that declarations infer, which the compiler can't verify for values that are read.
import { expect, test } from "vitest";
import { resources } from "@/generated/resources";
import { db, sql } from "@/lib/platform/db/sql";
import type { RecordRow, Resource } from "@/lib/records/engine/schema";
import { seedBasics, seedCompany, seedPatient } from "../support/api";
import { seedSamples } from "../support/sample-records";

/** Lists the fields whose stored value does not have the declared type. */
function mistyped({ fields, views, stored = {} }: Resource, data: RecordRow["data"]): string[] {
  const body = views?.create?.fields ?? {};
  const names = [...Object.keys({ ...fields, ...body }), ...Object.keys(stored)];
  return names.filter((name) => {
    const field = body[name]?.isWritable ? body[name] : (fields[name] ?? body[name]);
    if (field?.column) return false;
    const schema = stored[name] ?? field?.schema;
    const value = data[name];
    const isOptional = field !== undefined && field.initial === undefined && stored[name] === undefined;
    return !(isOptional && value === undefined) && !schema?.safeParse(value).success;
  });
}

test("a record of each resource is stored with the types of its declaration", async () => {
  const basics = await seedBasics();
  const practice = basics.enabled;
  const physician = basics.physicians.enabled;
  const patient = await seedPatient(practice, physician);
  const company = await seedCompany(practice);
  const { records } = await seedSamples({ practice, patient, physician, company });
  const rows = await db.rows<{ id: number; data: RecordRow["data"] }>(sql`SELECT id, data FROM resource_record`);
  const created = resources.filter(
    ({ name, path, operations }) => !path && operations.includes("create") && records[name],
  );
  const wrong = created.flatMap((resource) => {
    const row = rows.find(({ id }) => id === records[resource.name]);
    return row
      ? mistyped(resource, row.data).map((field) => `${resource.name}.${field}`)
      : [`${resource.name} is absent`];
  });
  expect(created.length).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});
