import { z } from "zod";
import type { PartName } from "@/lib/access/history/commands";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import type { ProcessedImage, SentImage } from "@/lib/platform/storage/process-image";

/** Resources of the scope table, and parts of them. */
export type ResourceName = ScopeResource | PartName;

/** Resources that are stored by the engine, and those of tables of their own that records refer to. */
export type ReferenceTarget = ScopeResource | "users";

/** The columns of a record that are shown as fields. */
export type Column = "id" | "patient_id" | "practice_id" | "created_date" | "modified_date" | "deleted_date";

/** What a field of a record is. */
export interface Field {
  /** Its value on the wire, in both directions. */
  schema: z.ZodType;
  /** Its value in answers, where that is another one. */
  answered?: z.ZodType;
  /** `sent` by clients, or set here and only `read`. */
  kind: "sent" | "read";
  /** Where it is a column of the record; the others are its data. */
  column?: Column;
  /** On POST and PUT. */
  required: boolean;
  /** What it holds where it was never sent; undefined: answers leave it out. */
  initial: unknown;
  /** Whose ids it holds, one or a list of them: each has to exist in the record's practice. */
  refersTo?: ReferenceTarget;
}

/** A field every record is sent with. */
export function required<S extends z.ZodType>(schema: S): Field {
  return { schema, kind: "sent", required: true, initial: null };
}

/** A field that may be left out, and emptied by null. */
export function optional<S extends z.ZodType>(schema: S): Field {
  return { schema: schema.nullable(), kind: "sent", required: false, initial: null };
}

/** A field that may be left out, and is never null; without a default, answers leave it out until it was sent. */
export function defaulted<S extends z.ZodType>(schema: S, initial?: z.output<S>): Field {
  return { schema, kind: "sent", required: false, initial };
}

/** A field that is set here: what a client sends for it is ignored. */
export function readOnly<S extends z.ZodType>(schema: S, initial?: z.output<S>): Field {
  return { schema, kind: "read", required: false, initial };
}

/** The same field, answered in another form than it is sent. */
export function withResponse(field: Field, answered: z.ZodType): Field {
  return { ...field, answered };
}

/** The same field, holding ids of records of another resource. */
export function refersTo(field: Field, refersTo: ReferenceTarget): Field {
  return { ...field, refersTo };
}

/** A column that is only shown. */
const column = (name: Column, schema: z.ZodType): Field => ({ ...readOnly(schema, null), column: name });

const instant = z.iso.datetime();
const id = z.int().positive();

/** The record's id, where it is called otherwise. */
export const idColumn = column("id", id);

export const createdDate = column("created_date", instant.nullable());
/** Of every change. */
export const modifiedDate = column("modified_date", instant);
/** Always null where a record is shown: one that was deleted is not. */
export const deletedDate = column("deleted_date", instant.nullable());
/** The patient a record is of, where it is of one: one of nobody's may become a patient's, and stays theirs. */
export const optionalPatientColumn = { ...optional(id), column: "patient_id" } satisfies Field;
/** The patient a record is of: sent with it, and never changed. */
export const patientColumn = { ...required(id), column: "patient_id" } satisfies Field;
/** The practice a record is of, where a client says it. */
export const practiceColumn = { ...required(id), column: "practice_id" } satisfies Field;
/** The practice a record is of; where it is left out the patient's, or the only one the client reaches. */
export const defaultedPracticeColumn = { ...optional(id), answered: id, column: "practice_id" } satisfies Field;
export const readOnlyPatientColumn = column("patient_id", id);
export const readOnlyPracticeColumn = column("practice_id", id);
/** null where the record is everybody's. */
export const nullablePracticeColumn = column("practice_id", id.nullable());

export const OPERATIONS = ["list", "create", "get", "replace", "update", "delete"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What a record holds beside its columns. */
export type Data = Readonly<Record<string, unknown>>;

/** A record as stored. Times are ISO 8601. */
export interface RecordRow {
  id: number;
  /** null where it is every practice's. */
  practice_id: number | null;
  patient_id: number | null;
  data: Data;
  version: number;
  created_date: string;
  modified_date: string;
  deleted_date: string | null;
}

/** A record that a practice's caller may change. */
export type WritableRecord = RecordRow & { practice_id: number };

/** A file that came with a record. */
export interface FileContent {
  filename: string;
  content_type: string;
  content: Buffer;
}

/** What a declaration may look up of other records, within the same practice. */
export interface Reader {
  /** Records by id; those that are absent, deleted or another practice's are not among them. */
  recordsById(resource: ResourceName, ids: readonly number[]): Promise<Map<number, RecordRow>>;
  /** Records whose field holds one of these values, by id; the field is one that lists are filtered by. */
  recordsWhere(resource: ResourceName, field: string, values: readonly (number | string)[]): Promise<RecordRow[]>;
  /** How many bytes of data the records have whose field holds this value. */
  sizeWhere(resource: ResourceName, field: string, value: number | string): Promise<number>;
  /** A patient's records of a resource, by id. */
  recordsOfPatient(resource: ResourceName, patientId: number): Promise<RecordRow[]>;
  /** The bytes of files, by id. */
  filesById(ids: readonly number[]): Promise<Map<number, FileContent>>;
  /** The time zone of a practice (IANA); null where it has none. */
  timezone(practiceId: number): Promise<string | null>;
}

/** A write that is about to be made. */
export interface Write {
  /** The record's. */
  id: number;
  /** What the record will hold. */
  data: Data;
  /** What it holds; null for a new one. */
  before: Data | null;
  /** As the client sent it. */
  sent: Data;
  practiceId: number;
  patientId: number | null;
  /** The images of `imagesIn`, in its order. */
  images: readonly ProcessedImage[];
  /** ISO 8601 */
  now: string;
  read: Reader;
  /** The same, and what it finds stays as it is until the write is done: for what would make the write untrue. */
  hold: Reader;
  /** Keeps a file with the record, and tells its id. */
  keepFile(file: FileContent): Promise<number>;
  /** An id nothing has, for a part of the record. */
  nextId(): Promise<number>;
}

/** Images in a body, and the field that holds them. */
export interface ImagesInBody {
  field: string;
  images: readonly SentImage[];
}

/** A write that was made. */
export interface Change {
  kind: "created" | "updated" | "deleted";
  record: RecordRow;
  /** null where it was created. */
  before: RecordRow | null;
  /** As the client sent it; empty where it was deleted. */
  sent: Data;
  read: Reader;
  /** The same, and what it finds stays as it is until the write is done. */
  hold: Reader;
}

/**
 * A write on another record that a write brings with it, in the same transaction. Those of one kind that follow each other on
 * one resource are made together: what is created is prepared before any of it is there, and what is gone already is not
 * deleted.
 */
export type Effect =
  | { kind: "create"; resource: Resource; data: Data; at?: readonly [field: string, index: number] }
  | { kind: "change"; resource: Resource; id: number; data: Data }
  | { kind: "delete"; resource: Resource; id: number };

/** Which answer, or body, of a resource. */
export type ViewName = "list" | "get" | "create" | "update";

/** What an answer is made for. */
export interface SerializeContext {
  view: ViewName;
  read: Reader;
  /** The address of a path below `/api/2.0/`. */
  link(path: string): string;
  /** An address where a file is to be had without a token, for a while. */
  fileLink(id: number): string;
}

/** An answer, or a body, that has other fields than the record. */
export interface View {
  title: string;
  fields: Readonly<Record<string, Field>>;
}

/** One resource of the API: what its records hold, and what can be done with them. */
export interface Resource {
  name: ResourceName;
  /** The name of the record's schema in the API description. */
  title: string;
  /** Where it is served below `/api/2.0/`, where that is not its name. */
  path?: string;
  /** One record in words: "allergy". */
  noun: string;
  /** Whose a record is: a patient's, a practice's, everybody's, or whose the record is that this field refers to. */
  owner: "patient" | "practice" | "everyone" | { field: string };
  /** Its records hold people's data though they name no patient: their reads are audited. So are those of `owner: "patient"`. */
  confidential?: true;
  /** Records of everybody are among those of the practices: they are loaded, and only read. */
  shared?: true;
  operations: readonly Operation[];
  fields: Readonly<Record<string, Field>>;
  /** Whose part a record is, where it is no resource of its own: what is told to those who subscribed to the whole. */
  partOf?: { resource: ScopeResource; id: (record: RecordRow) => number };
  /** Answers and bodies with other fields: of the list, of POST, and of PUT and PATCH. */
  views?: Partial<Record<Exclude<ViewName, "get">, View>>;
  /**
   * Query parameters of the list beside its pages: a field, a field with a bound (`start_date__gte`), or a parameter with the
   * field and bound it means. `__words` is a search by the beginnings of words; `__begins_lte` and `__ends_gte` are the bounds
   * of spans of days. Bounds of a field that holds several values are met where one of the values meets them all.
   */
  filters: readonly (string | readonly [parameter: string, means: string])[];
  /** Fields of one value that the list can be ordered by, beside `id` and `created_date`. */
  sortFields?: readonly string[];
  /** Values lists are filtered by that no field holds as such; `label`: where answers have it, in Markdown, if by another name. */
  keys?: Readonly<Record<string, { schema: z.ZodType; value: (data: Data) => unknown; label?: string }>>;
  /** By field, the parts of its value (or of each entry) that hold ids: each has to exist in the record's practice. */
  nestedReferences?: Readonly<Record<string, Readonly<Record<string, ReferenceTarget>>>>;
  /** The field that names a record in paths instead of its id; no two have the same. */
  pathField?: string;
  /** Answers show no id. */
  withoutId?: true;
  /** How records are known in the files they are loaded from; by the `external_id` a file gives them where nothing is said. */
  bulkLoad?: {
    /** The field no two records of a practice (or of everybody) have the same value of. */
    key?: string;
    /** What files hold beside the record's fields: it is kept, and no answer shows it. */
    fields?: Readonly<Record<string, z.ZodType>>;
  };
  /**
   * The images in a body. They are decoded before the write's transaction begins: decoding may take seconds, and a transaction
   * holds a connection that others wait for.
   */
  imagesIn?: (sent: Data) => ImagesInBody;
  /**
   * What the server sets in a write, or refuses of it.
   *
   * @returns what the record holds instead
   */
  beforeWrite?: (write: Write) => Promise<Data> | Data;
  /** What else is written where a record is. An entry of the body that makes a record is named by `at`, for its errors. */
  effects?: (change: Change) => Promise<readonly Effect[]> | readonly Effect[];
  /** What answers hold beyond what is kept, or in other form: for each record what replaces its fields. */
  serialize?: (records: readonly RecordRow[], context: SerializeContext) => Promise<Data[]> | Data[];
}

/** The filters of a list by the four bounds of a field. */
export const rangeFilters = (field: string): string[] =>
  ["gt", "gte", "lt", "lte"].map((bound) => `${field}__${bound}`);

/** Declares a resource; unless it shows none or has a field of its own for it, every record has an id. */
export function defineResource(declared: Resource): Resource {
  const isIdentified = declared.withoutId || Object.values(declared.fields).some((field) => field.column === "id");
  return { ...declared, fields: isIdentified ? declared.fields : { id: idColumn, ...declared.fields } };
}
