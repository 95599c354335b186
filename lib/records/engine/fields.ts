import { z } from "zod";
import type { ScopeResource, UnscopedResource } from "@/lib/access/identity/scopes";
import { decimalPattern } from "@/lib/insurance/fields/limits";
import { timeParam } from "@/lib/platform/http/query";
import { timezone as timezoneName } from "@/lib/platform/http/timezone";
import { calendarDate, DECIMAL_FORMAT, email as emailAddress, reference as id } from "@/lib/platform/http/validation";

/** Resources that a field can refer to; users are staff members and physicians' accounts. */
export type ReferenceTarget = ScopeResource | UnscopedResource | "users";

/** The columns of a record that the API shows as fields. Every other field is part of the record's data. */
export type Column = "id" | "patient_id" | "practice_id" | "created_date" | "modified_date" | "deleted_date";

/** One field of a resource: a value of type `V`, whether clients write it (`W`), and the column that holds it (`C`). */
export interface Field<V = unknown, W extends boolean = boolean, C extends Column | undefined = Column | undefined> {
  /** The value in requests and responses. */
  schema: z.ZodType<V>;
  /** The value in responses, if it differs from the one in requests. */
  response?: z.ZodType;
  /** Whether clients write the field. Values that they send for other fields are ignored. */
  isWritable: W;
  /** The column that holds the value. Without one, it is part of the record's data. */
  column?: C;
  /** Whether POST and PUT require the field. */
  required: boolean;
  /** The value until one is set. If undefined, responses omit the field. */
  initial: unknown;
  /** Whether a list in a request can have null entries, which are left out. */
  skipsNull?: true;
  /** The resource whose IDs the field holds, one or a list. Each must exist in the record's practice. */
  refersTo?: ReferenceTarget;
}

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** Declares a field that POST and PUT require. */
export function required<V>(schema: z.ZodType<V>): Field<V, true, undefined> {
  return { schema, isWritable: true, required: true, initial: null };
}

/** Declares an optional field, which clients can set to null. */
export function optional<V>(schema: z.ZodType<V>): Field<V | null, true, undefined> {
  return { schema: schema.nullable(), isWritable: true, required: false, initial: null };
}

/** Declares an optional field that is never null. Without a default, responses omit it until a client sends it. */
export function defaulted<V>(schema: z.ZodType<V>, initial: NoInfer<V>): Field<V, true, undefined>;
export function defaulted<V>(schema: z.ZodType<V>): Field<V | undefined, true, undefined>;
export function defaulted(schema: z.ZodType, initial?: unknown): Field<unknown, true, undefined> {
  return { schema, isWritable: true, required: false, initial };
}

/** Declares a field that only the server sets. Values that clients send for it are ignored. */
export function readOnly<V>(schema: z.ZodType<V>, initial: NoInfer<V>): Field<V, false, undefined>;
export function readOnly<V>(schema: z.ZodType<V>): Field<V | undefined, false, undefined>;
export function readOnly(schema: z.ZodType, initial?: unknown): Field<unknown, false, undefined> {
  return { schema, isWritable: false, required: false, initial };
}

/** Declares a list, empty by default, in which clients can send null entries. They are not stored. */
export function sparse<V>(entry: z.ZodType<V>): Field<V[], true, undefined> {
  return { schema: list(entry), isWritable: true, required: false, initial: [], skipsNull: true };
}

/** Gives a field another form in responses. */
export function withResponse<F extends Field>(field: F, response: z.ZodType): F {
  return { ...field, response };
}

/** Declares that a field holds IDs of records of another resource. */
export function refersTo<F extends Field>(field: F, target: ReferenceTarget): F {
  return { ...field, refersTo: target };
}

const instant = z.iso.datetime();
const recordId = z.int().positive();

/** The record's ID, for resources that have another name for it. */
export const idColumn = { ...readOnly(recordId), initial: null, column: "id" } satisfies Field;
export const createdDate = { ...readOnly(instant.nullable(), null), column: "created_date" } satisfies Field;
/** When the record last changed. */
export const modifiedDate = { ...readOnly(instant), initial: null, column: "modified_date" } satisfies Field;
/** Always null in responses, because deleted records are not returned. */
export const deletedDate = { ...readOnly(instant.nullable(), null), column: "deleted_date" } satisfies Field;
/** The patient of a record, sent with it and never changed. */
export const patientColumn = { ...required(recordId), column: "patient_id" } satisfies Field;
/** The patient of a record that can have none. A record without a patient can be given one, and keeps that one. */
export const optionalPatientColumn = { ...optional(recordId), column: "patient_id" } satisfies Field;
/** The practice of a record, sent by the client. */
export const practiceColumn = { ...required(recordId), column: "practice_id" } satisfies Field;
/** The practice of a record. The default is the patient's practice, or the only one that the client can access. */
export const defaultedPracticeColumn = {
  ...withResponse(optional(recordId), recordId),
  column: "practice_id",
} satisfies Field;
export const readOnlyPatientColumn = { ...readOnly(recordId), initial: null, column: "patient_id" } satisfies Field;
export const readOnlyPracticeColumn = { ...readOnly(recordId), initial: null, column: "practice_id" } satisfies Field;
/** The practice of a record, or null if the record is shared by all practices. */
export const nullablePracticeColumn = { ...readOnly(recordId.nullable(), null), column: "practice_id" } satisfies Field;

/** The maximum length of texts that the contract does not limit. */
export const MAX_TEXT_CHARACTERS = 100_000;
/** The maximum number of entries in a list. */
const MAX_ENTRIES = 1_000;
const INT32 = 2_147_483_647;

/** Returns a schema for strings up to a maximum length. */
export const text = (most = MAX_TEXT_CHARACTERS) => z.string().max(most);
/** Returns a schema for integers between two bounds. */
export const integer = (least = -INT32 - 1, most = INT32) => z.int().min(least).max(most);
/** The duration of a calendar entry, up to a day. */
export const minutes = integer(1, 1_440);
/** The ID of another record. */
export const reference = id;
/** A calendar date, `YYYY-MM-DD`. */
export const day = calendarDate;
/** An ISO 8601 time, converted to UTC. A time without a zone is in UTC. */
export const time = timeParam({ zone: "optional" });
/** An email address. */
export const email = emailAddress;
/** An IANA time zone. */
export const timezone = timezoneName;
/** Returns a schema for lists of values. */
export const list = <S extends z.ZodType>(entry: S) => z.array(entry).max(MAX_ENTRIES);

/** The bytes of a file as base64. The maximum size of a body limits it. */
export const base64 = z.string().refine(isBase64, { error: "Must be base64." });

function isBase64(sent: string): boolean {
  return sent !== "" && sent.length % 4 !== 1 && /^[A-Za-z0-9+/]+={0,2}$/.test(sent);
}

/** A local time of day, `HH:MM` or `HH:MM:SS`, stored as the latter. */
export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: "Must be a time of day, HH:MM or HH:MM:SS.", abort: true })
  .transform((sent) => (sent.length === 5 ? `${sent}:00` : sent));

/** Returns a schema for decimals as text, with a maximum number of digits before and after the point. */
export function decimal(before: number, after: number) {
  const error = `Must be a decimal with at most ${before} digits before and ${after} after the point.`;
  return z.string().regex(decimalPattern(before, after), { error }).meta({ format: DECIMAL_FORMAT });
}
