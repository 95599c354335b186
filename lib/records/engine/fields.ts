import { z } from "zod";
import type { ScopeResource } from "@/lib/access/identity/scopes";

/** Resources that a field can refer to; users are staff members and physicians' accounts. */
export type ReferenceTarget = ScopeResource | "users";

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
  /** The value until one is set. If undefined, responses leave the field out. */
  initial: unknown;
  /** The resource whose IDs the field holds, one or a list. Each must exist in the record's practice. */
  refersTo?: ReferenceTarget;
}

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** Declares a field that POST and PUT require. */
export function required<V>(schema: z.ZodType<V>): Field<V, true, undefined> {
  return { schema, isWritable: true, required: true, initial: null };
}

/** Declares an optional field, which clients clear with null. */
export function optional<V>(schema: z.ZodType<V>): Field<V | null, true, undefined> {
  return { schema: schema.nullable(), isWritable: true, required: false, initial: null };
}

/** Declares an optional field that is never null. Without a default, responses leave it out until a client sends it. */
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

/** Gives a field another form in responses. */
export function withResponse<F extends Field>(field: F, response: z.ZodType): F {
  return { ...field, response };
}

/** Declares that a field holds IDs of records of another resource. */
export function refersTo<F extends Field>(field: F, target: ReferenceTarget): F {
  return { ...field, refersTo: target };
}

const instant = z.iso.datetime();
const id = z.int().positive();

/** The record's ID, for resources that call it something else. */
export const idColumn = { ...readOnly(id), initial: null, column: "id" } satisfies Field;
export const createdDate = { ...readOnly(instant.nullable(), null), column: "created_date" } satisfies Field;
/** When the record last changed. */
export const modifiedDate = { ...readOnly(instant), initial: null, column: "modified_date" } satisfies Field;
/** Always null in responses, because deleted records are not returned. */
export const deletedDate = { ...readOnly(instant.nullable(), null), column: "deleted_date" } satisfies Field;
/** The patient of a record, sent with it and never changed. */
export const patientColumn = { ...required(id), column: "patient_id" } satisfies Field;
/** The patient of a record that can have none. A record without a patient can be given one, and keeps that one. */
export const optionalPatientColumn = { ...optional(id), column: "patient_id" } satisfies Field;
/** The practice of a record, sent by the client. */
export const practiceColumn = { ...required(id), column: "practice_id" } satisfies Field;
/** The practice of a record. Left out, it is the patient's practice, or the only one that the client can access. */
export const defaultedPracticeColumn = { ...withResponse(optional(id), id), column: "practice_id" } satisfies Field;
export const readOnlyPatientColumn = { ...readOnly(id), initial: null, column: "patient_id" } satisfies Field;
export const readOnlyPracticeColumn = { ...readOnly(id), initial: null, column: "practice_id" } satisfies Field;
/** The practice of a record, or null if the record is shared by all practices. */
export const nullablePracticeColumn = { ...readOnly(id.nullable(), null), column: "practice_id" } satisfies Field;
