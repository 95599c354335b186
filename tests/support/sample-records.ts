// One record of each resource of the API, generated from its declaration, and values for the references in bodies.
import fc from "fast-check";
import { z } from "zod";
import { resources } from "@/generated/resources";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { isScopeResource, isUnscopedResource } from "@/lib/access/identity/scopes";
import type { JsonSchema } from "@/lib/api/openapi/schema";
import { db, insertInto, json, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { insertRecord } from "@/lib/records/engine/commands";
import { keyRows } from "@/lib/records/engine/row-commands";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";
import type { RecordRow, Resource } from "@/lib/records/engine/schema";
import { valuesOf } from "./generated-values";
import { pngImage } from "./images";

/** The owner of the records, and the records that they reference. */
export interface SampleOwner {
  practice: number;
  patient: number;
  physician: number;
  company: number;
}

export interface Samples {
  /** By resource, or by the name of a part. */
  records: Readonly<Record<string, number>>;
  /** Values of fields that their schema does not show, by name. */
  known: Readonly<Record<string, unknown>>;
  user: number;
}

/** Returns whether a resource is served at its path; parts of resources have route files. */
export const isServed = ({ name, path, operations }: Resource) =>
  (isScopeResource(name) || isUnscopedResource(name)) && path === undefined && operations.length > 0;

/** Inserts a staff member of a practice, who can't sign in. */
export async function seedUser(practiceId: number, email = `staff-${practiceId}@example.org`): Promise<number> {
  const user = (await db.first<{ id: number }>(sql`
    INSERT INTO staff_user (organization_id, email, name, password_hash, role)
    SELECT organization_id, ${email}, 'Jo Park', '-', 'staff' FROM practice WHERE id = ${practiceId} RETURNING id`)) as {
    id: number;
  };
  await db.run(sql`INSERT INTO staff_user_practice (user_id, practice_id) VALUES (${user.id}, ${practiceId})`);
  return user.id;
}

/** Returns values of fields that must reference existing records, or whose form the schema does not show. */
export async function knownFields(owner: SampleOwner, user: number): Promise<Record<string, unknown>> {
  const image = (await pngImage(1)).toString("base64");
  const { practice, patient, physician } = owner;
  return {
    patient,
    practice,
    practice_created: practice,
    authoring_practice: practice,
    timezone: "America/New_York",
    patient_provider_team_id: patient,
    physician,
    base64_content: image,
    base_64: image,
    signed_by: physician,
    event_time: "09:30",
    series_start: "2026-01-05",
    series_stop: "2026-01-16",
    "thread.id": undefined,
    reviewer_user: user,
    recurring_event_schedule: undefined,
    rate: "1",
  };
}

/** Returns the same values for one resource, with references to these records. */
export function knownOf(resource: Resource, known: Readonly<Record<string, unknown>>, samples: Samples["records"]) {
  const views = Object.values(resource.views ?? {}).map(({ fields }) => fields);
  const fields = [resource.fields, ...views].flatMap((view) => Object.entries(view));
  const own = fields.flatMap(([name, { refersTo, schema, column }]) => {
    if (!refersTo || column) return [];
    const id = samples[refersTo];
    const isList = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" })).includes('"array"');
    return [[name, isList ? [id] : id] as const];
  });
  return { ...known, ...Object.fromEntries(own) };
}

/** Generates a minimal body for POST, or for PUT and PATCH, of a resource. */
export function minimalBody(resource: Resource, view: "create" | "update", known: Readonly<Record<string, unknown>>) {
  const described = z.toJSONSchema(bodySchema(resource, view), { io: "input", unrepresentable: "any" }) as JsonSchema;
  const schemas = (described.$defs ?? {}) as Record<string, JsonSchema>;
  const [body] = fc.sample(valuesOf(described, { schemas, size: "minimal", known }), { numRuns: 1, seed: 7 });
  return body as Record<string, unknown>;
}

/** Creates one record of each resource and part, in the order of their references. */
export async function seedSamples(owner: SampleOwner): Promise<Samples> {
  const user = await seedUser(owner.practice);
  const known = await knownFields(owner, user);
  const records: Record<string, number> = {
    patients: owner.patient,
    physicians: owner.physician,
    insurance_companies: owner.company,
    users: user,
  };
  const left = resources.filter(isServed);
  while (left.length > 0) {
    const at = left.findIndex((resource) => needsOf(resource).every((name) => name in records));
    if (at < 0) throw new Error(`Circular references: ${left.map(({ name }) => name).join(", ")}`);
    const [resource] = left.splice(at, 1) as [Resource];
    records[resource.name] = await seedSample(
      resource,
      owner,
      knownOf(resource, { ...known, ...nested(records) }, records),
    );
  }
  return { records, user, known: { ...known, ...nested(records) } };
}

/** Returns IDs inside parts of records that are looked up. */
const nested = (records: Readonly<Record<string, number>>) => ({ "send_to_contact.id": records.contacts });

function needsOf({ name, fields, views, owner }: Resource): string[] {
  const body = { ...fields, ...views?.create?.fields };
  const needed = Object.values(body).flatMap(({ refersTo, required }) => (refersTo && required ? [refersTo] : []));
  const through = typeof owner === "string" ? [] : [fields[owner.field]?.refersTo as string];
  return [...needed, ...through, ...(name === "letters" ? ["contacts"] : [])].filter((target) => target !== name);
}

/** Creates one record of a resource through the API, or inserts it if clients can't create it. */
export async function seedSample(
  resource: Resource,
  owner: SampleOwner,
  known: Readonly<Record<string, unknown>>,
  seed = 7,
): Promise<number> {
  const isSent = resource.operations.includes("create");
  const schema = isSent ? bodySchema(resource, "create") : responseSchema(resource, "get");
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const schemas = (described.$defs ?? {}) as Record<string, JsonSchema>;
  const size = isSent ? "minimal" : "any";
  const [body] = fc.sample(
    valuesOf(described, { schemas, size, known: { ...known, id: undefined, ncpdpid: "2010042" } }),
    {
      numRuns: 1,
      seed,
    },
  );
  if (!isSent) return load(resource, owner, z.looseObject(schema.shape).partial().parse(body));
  const access = mintAccess({
    practices: [owner.practice],
    actor: { type: "system" as const, id: null, name: "Sample" },
  });
  const origin = systemOrigin({ name: "Sample", source: "api", operation: "sample" });
  const parsed = schema.parse(body);
  const created = transaction((tx) => insertRecord(tx, { access, origin }, resource, parsed));
  return (await created.catch((cause) => throwFor(resource, cause))).id;
}

function throwFor({ name }: Resource, cause: unknown): never {
  const fields = cause instanceof ValidationError ? JSON.stringify(cause.fields) : "";
  throw new Error(`Can't create a sample of ${name}. ${fields}`, { cause });
}

/** Inserts a record with every field filled, also those that only loading sets. */
export async function loadFilled(
  resource: Resource,
  owner: SampleOwner,
  known: Readonly<Record<string, unknown>>,
): Promise<number> {
  const schema = responseSchema(resource, "get");
  const described = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  // The generator leaves out what clients can't send.
  const writable = JSON.parse(described, (name, value) => (name === "readOnly" ? undefined : value)) as JsonSchema;
  const schemas = (writable.$defs ?? {}) as Record<string, JsonSchema>;
  const values = valuesOf(writable, { schemas, size: "maximal", known });
  const [body] = fc.sample(values, { numRuns: 1, seed: 7 });
  return load(resource, owner, z.looseObject(schema.shape).partial().parse(body));
}

/** Inserts a record that clients can't create, as it looks after loading. */
async function load(resource: Resource, owner: SampleOwner, body: Record<string, unknown>): Promise<number> {
  const { fields, owner: whose } = resource;
  const data = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { column, initial }]) =>
      column ? [] : [[name, body[name] === undefined ? initial : body[name]]],
    ),
  );
  const isPatients = Object.values(fields).some(({ column }) => column === "patient_id");
  const now = "2026-01-02T03:04:05.000Z";
  const record = {
    practice_id: whose === "everyone" ? null : owner.practice,
    patient_id: isPatients ? owner.patient : null,
    data,
    version: 1,
    created_date: now,
    modified_date: now,
    deleted_date: null,
  };
  const row = (await db.first<{ id: number }>(sql`
    INSERT INTO resource_record (resource, practice_id, patient_id, data, created_date, modified_date)
    VALUES (${resource.name}, ${record.practice_id}, ${record.patient_id}, ${json(data)}, ${now}, ${now}) RETURNING id`)) as {
    id: number;
  };
  await db.run(insertInto("resource_key", keyRows(resource, { ...record, id: row.id } as RecordRow)));
  return row.id;
}
