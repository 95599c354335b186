import type { z } from "zod";
import type { ResourceName } from "@/lib/access/history/commands";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import type { Row } from "@/lib/platform/db/rows";
import type { ProcessedImage, SentImage } from "@/lib/platform/storage/process-image";
import type { Data, FilterName, Merged, NameOf, Sent, Shape, Stored } from "./data-types";
import { type Column, type Field, type Fields, idColumn, type ReferenceTarget } from "./fields";

export const OPERATIONS = ["list", "create", "get", "replace", "update", "delete"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A record as stored: its columns, and data of type `D`. Times are ISO 8601. */
export type RecordRow<D extends Data = Data> = Pick<Row<"resource_record">, Column | "version"> & { data: D };

/** A record that belongs to a practice. Clients can only read records that all practices share. */
export type WritableRecord<D extends Data = Data> = RecordRow<D> & { practice_id: number };

/** A file stored with a record. */
export type FileContent = Pick<Row<"resource_file">, "filename" | "content_type" | "content">;

/** A resource in lookups. A resource's declaration determines the type of the records; a bare name leaves them untyped. */
export type ResourceRef<D extends Data = Data> = Pick<Resource<D>, "name" | "serialize">;

/** Looks up other records within the same practice. */
export interface Reader {
  /** Finds records by ID. Omits deleted records and those of other practices. */
  recordsById<D extends Data>(resource: ResourceRef<D>, ids: readonly number[]): Promise<Map<number, RecordRow<D>>>;
  /** Finds records by values of a field or key that lists are filtered by, in the order of their IDs. */
  recordsWhere<D extends Data>(
    resource: ResourceRef<D>,
    field: string,
    values: readonly (number | string)[],
  ): Promise<RecordRow<D>[]>;
  /** Adds up the bytes of data in the records with this value. */
  sizeWhere(resource: ResourceRef, field: string, value: number | string): Promise<number>;
  /** Lists a patient's records of a resource, in the order of their IDs. */
  recordsOfPatient<D extends Data>(resource: ResourceRef<D>, patientId: number): Promise<RecordRow<D>[]>;
  /** Reads files by ID. */
  filesById(ids: readonly number[]): Promise<Map<number, FileContent>>;
  /** Returns the IANA time zone of a practice, or null if it has none. */
  timezone(practiceId: number): Promise<string | null>;
}

/** A write before it happens: `D` is the stored data, `S` the body, and `M` the data before `beforeWrite`. */
export interface Write<D extends Data = Data, S extends Data = Data, M extends Data = Data> {
  /** The ID of the record. */
  id: number;
  resource: Resource<D, S, M>;
  /** The stored values merged with the body, which are stored unless `beforeWrite` returns other data. */
  data: M;
  /** The stored data, or null for a new record. */
  before: D | null;
  /** The fields in the body. */
  sent: S;
  practiceId: number;
  patientId: number | null;
  /** The decoded images of `imagesIn`, in the same order. */
  images: readonly ProcessedImage[];
  /** ISO 8601 */
  now: string;
  reader: Reader;
  /** Locks the records it finds until the write is committed. Use it for records that the result depends on. */
  lockingReader: Reader;
  /** Stores a file with the record and returns its ID. */
  storeFile(file: FileContent): Promise<number>;
  /** Returns unused IDs for parts of the record. */
  nextIds(count: number): Promise<number[]>;
}

/** The images in a body, and the field that holds them. */
export interface ImagesInBody {
  field: string;
  images: readonly SentImage[];
}

/** A write after it happened. */
export interface Change<D extends Data = Data, S extends Data = Data, M extends Data = Data> {
  kind: "created" | "updated" | "deleted";
  resource: Resource<D, S, M>;
  record: WritableRecord<D>;
  /** null for a new record. */
  before: RecordRow<D> | null;
  /** The fields in the body; empty for a deletion. */
  sent: S;
  reader: Reader;
  /** Locks the records it finds until the write is committed. */
  lockingReader: Reader;
}

/**
 * A write to another record that follows from a write, in the same transaction. Consecutive effects of one kind on one resource
 * are written together: `beforeWrite` of a created record can't see the others, and records that are already deleted are skipped.
 */
export type Effect =
  | { kind: "create"; resource: Resource; data: Data; at?: readonly [field: string, index: number] | undefined }
  | { kind: "update"; resource: Resource; id: number; data: Data }
  | { kind: "delete"; resource: Resource; id: number };

/** Creates a record as an effect. Its errors are reported at `at`, the entry of the body that it comes from. */
export function creates<S extends Data>(
  resource: Resource<Data, S>,
  data: NoInfer<S>,
  at?: readonly [field: string, index: number],
): Effect {
  return { kind: "create", resource, data, at };
}

/** Updates fields of a record as an effect. */
export function updates<S extends Data>(resource: Resource<Data, S>, id: number, data: NoInfer<S>): Effect {
  return { kind: "update", resource, id, data };
}

/** Deletes a record as an effect. */
export function deletes(resource: Resource, id: number): Effect {
  return { kind: "delete", resource, id };
}

/** The responses and bodies that can have other fields than the record. */
export type ViewName = "list" | "get" | "create" | "update";

/** The lookups and links that serialization can use. */
export interface SerializeContext {
  view: ViewName;
  reader: Reader;
  /** Returns the URL of a path below `/api/2.0/`. */
  link(path: string): string;
  /** Returns a signed URL of a file, which works without a token until it expires. */
  fileLink(id: number): string;
}

/** A response or body with other fields than the record. */
export interface View<F extends Fields = Fields> {
  /** The name of its schema in the API description. */
  title: string;
  fields: F;
}

/** Views of lists, of POST, and of PUT and PATCH. */
export type Views = Partial<Record<Exclude<ViewName, "get">, View>>;

/** A value that lists are filtered by and that is not a field. */
export interface Key<D extends Data = Data> {
  schema: z.ZodType;
  value(data: D): unknown;
  /** Its name in responses, in Markdown, if it differs. */
  label?: string;
}

/** The options of a resource that do not depend on its fields. */
interface ResourceOptions {
  name: ResourceName;
  /** The name of the record's schema in the API description. */
  title: string;
  /** The path below `/api/2.0/`, if it is not the name. */
  path?: string;
  /** The noun for one record, for example "allergy". */
  noun: string;
  /** Records contain personal data without naming a patient. Reads are audited, as with `owner: "patient"`. */
  confidential?: true;
  /** Lists also contain records that all practices share, which are loaded from files and read-only. */
  shared?: true;
  operations: readonly Operation[];
  /** Responses contain no ID. */
  withoutId?: true;
}

/**
 * The hooks of a resource. They are methods rather than function properties, so that TypeScript accepts a resource with specific
 * types wherever the engine takes any `Resource`. That is sound because the engine passes a resource only its own records, and
 * bodies that its schemas have validated.
 */
interface ResourceHooks<D extends Data, S extends Data, M extends Data> {
  /** The record that this record is a part of, whose subscribers are notified of changes. */
  partOf?: { resource: ScopeResource; id(record: RecordRow<D>): number | null };
  /**
   * Finds the images in a body. They are decoded before the transaction begins, because decoding takes seconds and a
   * transaction holds a connection that others wait for.
   */
  imagesIn?(sent: S): ImagesInBody;
  /** Rejects updates and deletions of a record that can't be changed anymore. Deleting its patient deletes it all the same. */
  requireChangeable?(data: D): void;
  /** Sets the server's values, or rejects the write. Returns the data to store. */
  beforeWrite?(write: Write<D, S, M>): Promise<D> | D;
  /** Returns the writes to other records that follow from a write. */
  effects?(change: Change<D, S, M>): Promise<readonly Effect[]> | readonly Effect[];
  /** Returns, for each record, the values that a response shows instead of the stored ones. */
  serialize?(records: readonly RecordRow<D>[], context: SerializeContext): Promise<Data[]> | Data[];
}

/** A resource of the API, as the engine serves it. */
export interface Resource<D extends Data = Data, S extends Data = Data, M extends Data = Data>
  extends ResourceOptions,
    ResourceHooks<D, S, M> {
  /** The owner of a record: a patient, a practice, everyone, or the owner of the record that a field refers to. */
  owner: "patient" | "practice" | "everyone" | { field: string };
  fields: Fields;
  views?: Views;
  /** Stored values that responses omit or show in another form. */
  stored?: Shape;
  /** By field, the parts of its value (or of each entry) that hold IDs. Each must exist in the record's practice. */
  nestedReferences?: { readonly [field: string]: Readonly<Record<string, ReferenceTarget>> | undefined };
  /**
   * The query parameters of the list besides paging: a field, a field with a bound (`start_date__gte`), or a
   * parameter with the field it stands for. `__words` searches for the beginnings of words; `__begins_lte` and `__ends_gte` are bounds of date
   * ranges. Bounds of a field with several values match if one of the values is within all of them.
   */
  filters: readonly (string | readonly [parameter: string, target: string])[];
  /** Single-valued fields that lists can be sorted by, besides `id` and `created_date`. */
  sortFields?: readonly string[];
  /** Values that lists are filtered by and that are not fields. */
  keys?: Readonly<Record<string, Key<D>>>;
  /** The field whose unique values name records in paths instead of their IDs. */
  pathField?: string;
  /** How files that records are loaded from identify them. */
  bulkLoad?: {
    /** The field whose value is unique within a practice, or among shared records. The default is `external_id`. */
    key?: string;
    /** The values of `stored` that files contain. */
    stored?: readonly string[];
  };
}

/** A resource that keeps the types of its fields, for variants that reuse them. */
export interface DeclaredResource<F extends Fields, D extends Data, S extends Data, M extends Data>
  extends Resource<D, S, M> {
  fields: F;
}

/** The options of `defineResource`: those of `Resource`, checked against the fields. */
interface Declaration<F extends Fields, V extends Views, X extends Shape, K extends string>
  extends ResourceOptions,
    ResourceHooks<Stored<F, V, X>, Sent<F, V>, Merged<F, V, X>> {
  owner: "patient" | "practice" | "everyone" | { field: NoInfer<NameOf<F>> };
  fields: F;
  views?: V;
  stored?: X;
  nestedReferences?: { readonly [N in NoInfer<NameOf<F>>]?: Readonly<Record<string, ReferenceTarget>> };
  filters: readonly (FilterName<NoInfer<NameOf<F> | K>> | readonly [string, FilterName<NoInfer<NameOf<F> | K>>])[];
  sortFields?: readonly NoInfer<NameOf<F>>[];
  keys?: Readonly<Record<K, Key<Stored<F, V, X>>>>;
  pathField?: NoInfer<NameOf<F>>;
  bulkLoad?: { key?: NoInfer<NameOf<F>>; stored?: readonly NoInfer<NameOf<X>>[] };
}

/**
 * Declares a resource, whose hooks see the types of its fields. Every record has an ID, unless responses hide it or a field of
 * its own holds it.
 */
export function defineResource<
  F extends Fields,
  V extends Views = Record<never, never>,
  X extends Shape = Record<never, never>,
  K extends string = never,
>(declared: Declaration<F, V, X, K>): DeclaredResource<F, Stored<F, V, X>, Sent<F, V>, Merged<F, V, X>> {
  return { ...declared, fields: withId(declared.fields, declared) };
}

/** Declares another way to serve the records of a resource: by other fields, filters or bodies. */
export function defineVariant<D extends Data, V extends Views = Record<never, never>>(
  resource: Resource<D>,
  options: Partial<Pick<Resource<D>, "path" | "title" | "fields" | "filters" | "serialize">> & {
    operations: readonly Operation[];
    views?: V;
  },
): Resource<D, Sent<Record<never, never>, V>> {
  const { fields = resource.fields } = options;
  return { ...resource, ...options, fields: withId(fields, resource) };
}

function withId<F extends Fields>(fields: F, { withoutId }: ResourceOptions): F {
  const hasId = withoutId || Object.values<Field>(fields).some(({ column }) => column === "id");
  return hasId ? fields : { id: idColumn, ...fields };
}

/** Returns the filters of a list by the four bounds of a field. */
export function rangeFilters<N extends string>(field: N): `${N}__${"gt" | "gte" | "lt" | "lte"}`[] {
  return [`${field}__gt`, `${field}__gte`, `${field}__lt`, `${field}__lte`];
}
