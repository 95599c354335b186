// Every field that a conversion writes, changed directly in the database. Derived from the tables and the stored data, so
// that a new field is included automatically.

import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { db, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { owner } from "./owner";

/** A converted patient with a current insurance and a past one. */
export interface ConvertedPatient {
  patient: number;
  current: { insurance: number; policy: number };
  past: { insurance: number; policy: number };
}

/** One direct change in the database. */
export interface Alteration {
  what: string;
  /** The names that a difference may give the field. */
  fields: string[];
  needsCards: boolean;
  write: (place: ConvertedPatient) => Sql[];
}

interface Table {
  name: string;
  /** Which rows of a patient are changed. */
  rows: { what: string; where: (place: ConvertedPatient) => Sql }[];
  needsCards?: boolean;
  /** Columns that differences call by another name. */
  called?: Record<string, string | string[]>;
  /** Columns that verification does not compare, and why. */
  exempt: Record<string, string>;
}

const ofCurrent = { what: "current", where: ({ current }: ConvertedPatient) => sql`id = ${current.insurance}` };
const ofPast = { what: "past", where: ({ past }: ConvertedPatient) => sql`id = ${past.insurance}` };
const currentPolicy = { what: "current", where: ({ current }: ConvertedPatient) => sql`id = ${current.policy}` };
const pastPolicy = { what: "past", where: ({ past }: ConvertedPatient) => sql`id = ${past.policy}` };
const versionOf = (what: "current" | "past", version: number) => ({
  what: `${what}, version ${version}`,
  where: (place: ConvertedPatient) => sql`policy_id = ${place[what].policy} AND version = ${version}`,
});

const OWN_KEY = "the row's own key, which nothing references";
const RECORDED = "who, why and when it was written: protected by append-only triggers and covered by the audit chain";
const HISTORY = { actor: RECORDED, source: RECORDED, reason: RECORDED, request_id: RECORDED, recorded_date: RECORDED };

const TABLES: Table[] = [
  {
    name: "patient",
    rows: [{ what: "", where: ({ patient }) => sql`id = ${patient}` }],
    called: { practice_id: "id", external_id: "id" },
    exempt: { details: "compared part by part, below", phones: "compared part by part, below" },
  },
  {
    name: "patient_insurance",
    rows: [ofCurrent, ofPast],
    called: {
      id: "patient_insurance",
      patient_id: ["patient_insurance", "record"],
      practice_id: "practice",
      policy_id: "policy",
      external_id: "record",
    },
    exempt: {},
  },
  {
    name: "policy",
    rows: [currentPolicy, pastPolicy],
    called: { id: "policy", patient_id: "policy", practice_id: "practice" },
    exempt: {},
  },
  {
    name: "policy_version",
    rows: [versionOf("current", 1), versionOf("past", 1), versionOf("past", 2)],
    called: { policy_id: "version", version: "version", patient_id: ["version", "versions"] },
    exempt: { snapshot: "compared field by field, below", ...HISTORY },
  },
  {
    name: "patient_version",
    rows: [{ what: "", where: ({ patient }) => sql`patient_id = ${patient}` }],
    called: { patient_id: "version", occurred_date: "last_modified" },
    exempt: { kind: RECORDED, changes: "compared field by field, below", ...HISTORY },
  },
  {
    name: "legacy_card",
    rows: [{ what: "", where: ({ patient }) => sql`patient_id = ${patient} AND rank = 1 AND side = 1` }],
    needsCards: true,
    called: { patient_id: "card_images", rank: "card_images", side: "card_images", ended_date: "card_images" },
    exempt: { id: OWN_KEY },
  },
  {
    name: "policy_card_image",
    rows: [{ what: "", where: ({ current }) => sql`policy_id = ${current.policy} AND image_rank = 1` }],
    needsCards: true,
    exempt: { id: OWN_KEY },
  },
];
const IMAGE_COLUMNS = /^(policy_id|image_rank|to_version|image_key|sha256|content_type|bytes|width|height)$/;

/** Returns SQL for a different value of a column's type. */
function another(column: string, type: string): Sql {
  const name = raw(column);
  // IDs without records.
  if (type === "bigint") return sql`coalesce(${name}, 0) + 1000000`;
  if (/^(integer|smallint)$/.test(type)) return sql`coalesce(${name}, 0) + 7`;
  if (type === "numeric") return sql`coalesce(${name}, 0) + 0.01`;
  if (type === "date") return sql`coalesce(${name}, '2001-01-01') + 1`;
  if (/^timestamp/.test(type)) return sql`coalesce(${name}, '2001-01-01T00:00:00Z') + interval '1 second'`;
  if (type === "uuid") return sql`gen_random_uuid()`;
  if (type === "text") return sql`coalesce(${name}, '') || '~'`;
  if (type === "USER-DEFINED")
    return sql`(SELECT v FROM unnest(enum_range(${name})) AS v WHERE v IS DISTINCT FROM ${name} LIMIT 1)`;
  throw new Error(`no other value for ${column}, of type ${type}`);
}

/** Drops the constraints that would reject such changes, which only the owner of the database can do. */
export async function dropChecks(): Promise<void> {
  const checks = await db.rows<{ table: string; name: string }>(sql`
    SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint
    WHERE contype = 'c' AND conrelid::regclass::text = ANY(${TABLES.map(({ name }) => name)}::text[])`);
  for (const { table, name } of checks) {
    await owner.run(sql`ALTER TABLE ${raw(table)} DROP CONSTRAINT ${raw(name)}`);
  }
  await owner.run(sql`DROP INDEX policy_one_active_per_rank`);
}

/** Lists a change to every column of the tables that a conversion writes, except exempt columns. */
export async function columnAlterations(): Promise<Alteration[]> {
  const columns = await db.rows<{ table: string; column: string; type: string }>(sql`
    SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ANY(${TABLES.map(({ name }) => name)}::text[])
    ORDER BY table_name, ordinal_position`);
  return TABLES.flatMap(({ name, rows, needsCards = false, called = {}, exempt }) =>
    columns
      .filter(({ table, column }) => table === name && !(column in exempt))
      .flatMap(({ column, type }) =>
        rows.map(({ what, where }): Alteration => {
          const isImage = needsCards && IMAGE_COLUMNS.test(column);
          const fields = [column, ...[called[column] ?? []].flat(), ...(isImage ? ["card_images"] : [])];
          const set = sql`${raw(column)} = ${another(column, type)}`;
          return {
            what: `${name} ${what} ${column}`,
            fields,
            needsCards,
            write: (place) => [sql`UPDATE ${raw(name)} SET ${set} WHERE ${where(place)}`],
          };
        }),
      ),
  );
}

type Path = (string | number)[];

/** Lists every value within a value, by its path. */
function leavesOf(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

const nameOf = (path: Path) =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");

function otherValue(value: unknown): unknown {
  if (typeof value === "string") return `${value.slice(0, -1)}~`;
  if (typeof value === "number") return value === 7 ? 8 : 7;
  return typeof value === "boolean" ? !value : "~";
}

const setIn = (column: Sql, path: Path, value: unknown) =>
  sql`jsonb_set(${column}, ${path.map(String)}::text[], ${JSON.stringify(value)}::jsonb)`;

/** Lists changes to a patient's demographics stored as JSON: each value changed, and each field removed. */
export function demographicAlterations(details: Record<string, unknown>, phones: unknown[]): Alteration[] {
  const change = (column: "details" | "phones", field: string, value: Sql): Alteration => ({
    what: `${column}: ${field}`,
    fields: [field],
    needsCards: false,
    write: ({ patient }) => [sql`UPDATE patient SET ${raw(column)} = ${value} WHERE id = ${patient}`],
  });
  const parts = leavesOf(details).map(({ path, value }) =>
    change("details", nameOf(path), setIn(sql`details`, path, otherValue(value))),
  );
  const gone = Object.keys(details).map((field) => ({
    ...change("details", field, sql`details - ${field}::text`),
    what: `details without ${field}`,
    fields: [field, ...leavesOf(details[field], [field]).map(({ path }) => nameOf(path))],
  }));
  const numbers = leavesOf(phones).map(({ path, value }) =>
    change("phones", `phones${nameOf(path)}`, setIn(sql`phones`, path, otherValue(value))),
  );
  const added = { ...change("details", "invented", sql`details || '{"invented": 1}'`), what: "details with another" };
  const last = `phones[${phones.length - 1}]`;
  const fewer = { ...change("phones", last, sql`phones - ${phones.length - 1}::int`), what: "a phone is missing" };
  return [...parts, ...gone, ...numbers, added, fewer];
}

/** Lists changes to the fields that history stores: in a version only, and in both a version and the stored data. */
export function historyAlterations(details: readonly string[], snapshot: Record<string, unknown>): Alteration[] {
  const inSnapshots = (["current", "past"] as const).flatMap((which) =>
    Object.keys(snapshot).map((field): Alteration => {
      const write = (place: ConvertedPatient) => [
        sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, ARRAY[${field}], '"~"'::jsonb)
          WHERE policy_id = ${place[which].policy} AND version = 1`,
      ];
      return { what: `version 1 of the ${which} policy, ${field}`, fields: [field], needsCards: false, write };
    }),
  );
  const inBoth = (["current", "past"] as const).flatMap((which) =>
    INSURANCE_FIELDS.map((field): Alteration => {
      const value = /_date$/.test(field) ? "2001-02-03" : /^(copay|deductible)$/.test(field) ? "1.23" : "~";
      const isId = field === "insurance_company" || field === "insurance_plan";
      const set = isId ? sql`${raw(field)} = 1` : sql`${raw(field)} = ${value}`;
      const write = ({ [which]: { insurance, policy } }: ConvertedPatient) => [
        sql`UPDATE patient_insurance SET ${set} WHERE id = ${insurance}`,
        sql`UPDATE policy SET ${set} WHERE id = ${policy}`,
        sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, ARRAY[${field}],
          ${JSON.stringify(isId ? 1 : value)}::jsonb) WHERE policy_id = ${policy}`,
      ];
      return {
        what: `both stores and history of the ${which} insurance, ${field}`,
        fields: [field],
        needsCards: false,
        write,
      };
    }),
  );
  const inPatient = details.map(
    (field): Alteration => ({
      what: `patient and its version, ${field}`,
      fields: [field],
      needsCards: false,
      write: ({ patient }) => [
        sql`UPDATE patient SET details = jsonb_set(details, ARRAY[${field}], '"~"'::jsonb) WHERE id = ${patient}`,
        sql`UPDATE patient_version SET changes = jsonb_set(changes, ARRAY[${field}, 'new'], '"~"'::jsonb)
        WHERE patient_id = ${patient}`,
      ],
    }),
  );
  const recorded = details.map(
    (field): Alteration => ({
      what: `patient version, ${field}`,
      fields: [field],
      needsCards: false,
      write: ({ patient }) => [
        sql`UPDATE patient_version SET changes = jsonb_set(changes, ARRAY[${field}, 'new'], '"~"'::jsonb)
        WHERE patient_id = ${patient}`,
      ],
    }),
  );
  return [...inSnapshots, ...inBoth, ...inPatient, ...recorded];
}
