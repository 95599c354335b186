import { z } from "zod";
import { idParam, tokenEndpoint } from "@/lib/access/endpoints/endpoint";
import type { Access } from "@/lib/access/identity/access";
import {
  GLOBAL_SCOPE,
  isScopeResource,
  isSpecificScope,
  isUnscopedResource,
  type Permission,
  type Scope,
} from "@/lib/access/identity/scopes";
import { json } from "@/lib/platform/http/body";
import { etagOf, matchesVersion } from "@/lib/platform/http/conditional";
import { integerParam, pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { enumParam, isBound, isStorable, repeatable, timeBound, timeParam } from "@/lib/platform/http/query";
import type { Reply } from "@/lib/platform/http/response";
import { type RouteEntry, type RouteModule, route } from "@/lib/platform/http/route";
import { calendarDate } from "@/lib/platform/http/validation";
import { createRecord, deleteRecord, updateRecord } from "./commands";
import type { Data } from "./data-types";
import { MAX_TEXT_CHARACTERS } from "./fields";
import { listRecords } from "./list-queries";
import { dataSubjects, getRecord, getRecordByPathField, serializeRecords } from "./queries";
import {
  bodySchema,
  describeFilter,
  type Filter,
  fieldColumn,
  fieldLabel,
  fieldSchema,
  listFilters,
  MAX_KEY_CHARACTERS,
  patchSchema,
  responseSchema,
  singleValue,
} from "./rules";
import type { Operation, RecordRow, Resource, ViewName } from "./schema";

/** The maximum length of a value that identifies a record in a path instead of its ID. */
const MAX_NAME_CHARACTERS = 200;

/**
 * Lists the routes of a resource; parts of resources have route files. Each path is declared when it is first used: building the
 * schemas of all operations would delay the start of every process by a second.
 */
export function resourceRoutes(resource: Resource): RouteEntry[] {
  const { name, path = name, pathField = "id", operations } = resource;
  if (!isScopeResource(name) && !isUnscopedResource(name)) return [];
  const has = (wanted: readonly Operation[]) => operations.some((operation) => wanted.includes(operation));
  const list = onFirstUse(path, () => collectionRoute(resource));
  const one = onFirstUse(`${path}/[${pathField}]`, () => recordRoute(resource));
  return [...(has(["list", "create"]) ? [list] : []), ...(has(["get", "replace", "update", "delete"]) ? [one] : [])];
}

function onFirstUse(path: string, declare: () => RouteModule): RouteEntry {
  let module: RouteModule | undefined;
  return {
    path,
    get module() {
      module ??= declare();
      return module;
    },
  };
}

/** Declares the list of a resource, and the creation of records. */
function collectionRoute(resource: Resource) {
  const list = () =>
    tokenEndpoint({
      name: `${(resource.path ?? resource.name).replace("/", "_")}.list`,
      summary: `List ${pluralNoun(resource)}`,
      scope: requireScope(resource, "read"),
      query: { ...filterQuery(resource), ...pageQuery(["created_date", ...(resource.sortFields ?? [])]) },
      response: pageSchema(responseSchema(resource, "list")),
      status: 200,
      readsMuch: true,
      handle: async ({ access, query, url }) => {
        const page = toPageRequest(query, url);
        const slice = await listRecords(access, resource, query, page);
        const dtos = await serializeRecords(access, resource, slice.rows, { view: "list", base: url });
        const rows = slice.rows.map((row, index) => ({ dto: dtos[index], ...row }));
        const body = toPage(url, page, { ...slice, rows }, ({ dto }) => dto);
        return { body, ...dataSubjects(resource, slice.rows) };
      },
    });
  const create = () =>
    tokenEndpoint({
      name: `${resource.name}.create`,
      summary: `Create ${withArticle(resource)}`,
      scope: requireScope(resource, "write"),
      body: json(bodySchema(resource, "create")),
      signs: signingFields(bodySchema(resource, "create")),
      response: responseSchema(resource, "create"),
      headers: ["Location", "ETag"],
      status: 201,
      handle: async ({ access, origin, body, url, requester }) => {
        const row = await createRecord({ access, origin, requester }, resource, body);
        const location = new URL(`/api/2.0/${resource.name}/${row.id}/`, url).href;
        return recordReply(access, resource, "create", row, { url, headers: { location } });
      },
    });
  const has = (operation: Operation) => resource.operations.includes(operation);
  return route({ GET: has("list") ? list() : undefined, POST: has("create") ? create() : undefined });
}

/** Declares the operations on one record of a resource. */
function recordRoute(resource: Resource) {
  const params = { id: idParam };
  const reading = {
    name: `${resource.name}.get`,
    summary: `Get ${withArticle(resource)}`,
    ...(isConditional(resource) ? { conditional: true as const } : {}),
    scope: requireScope(resource, "read"),
    response: responseSchema(resource, "get"),
    headers: ["ETag" as const],
    status: 200,
  };
  const get = () =>
    tokenEndpoint({
      ...reading,
      params,
      handle: async ({ access, params: { id }, url, header }) =>
        conditionalReply(access, resource, await getRecord(access, resource, id), { url, header }),
    });
  const getByPathField = (field: string) =>
    tokenEndpoint({
      ...reading,
      params: { [field]: z.string().min(1).max(MAX_NAME_CHARACTERS).refine(isStorable) },
      handle: async ({ access, params: { [field]: name = "" }, url, header }) =>
        conditionalReply(access, resource, await getRecordByPathField(access, resource, name), { url, header }),
    });
  const write = (operation: "replace" | "update", input: z.ZodObject<Record<string, z.ZodType>>) =>
    tokenEndpoint({
      name: `${resource.name}.${operation}`,
      summary: `${operation === "replace" ? "Update" : "Change fields of"} ${withArticle(resource)}`,
      conditional: true,
      // Signatures can't be changed.
      errors: resource.fields.signed_by?.isWritable ? [422] : [],
      scope: requireScope(resource, "write"),
      params,
      body: json(input),
      signs: signingFields(input),
      response: responseSchema(resource, "update"),
      headers: ["ETag"],
      status: 200,
      handle: async ({ access, params: { id }, ifMatch, origin, body, url, requester }) => {
        const row = await updateRecord({ access, id, ifMatch, origin, requester }, resource, body);
        return recordReply(access, resource, "update", row, { url });
      },
    });
  const remove = () =>
    tokenEndpoint({
      name: `${resource.name}.delete`,
      summary: `Delete ${withArticle(resource)}`,
      conditional: true,
      scope: requireScope(resource, "write"),
      params,
      status: 204,
      handle: async ({ access, params: { id }, ifMatch, origin }) => {
        await deleteRecord({ access, id, ifMatch, origin }, resource);
        return {};
      },
    });
  const has = (operation: Operation) => resource.operations.includes(operation);
  const read = () => (resource.pathField ? getByPathField(resource.pathField) : get());
  return route({
    GET: has("get") ? read() : undefined,
    PUT: has("replace") ? write("replace", bodySchema(resource, "update")) : undefined,
    PATCH: has("update") ? write("update", patchSchema(resource)) : undefined,
    DELETE: has("delete") ? remove() : undefined,
  });
}

/** Returns the fields of a body that sign a document. */
function signingFields(input: z.ZodObject): string[] {
  return ["signed_by", "signed_date", "sign_date"].filter((name) => name in input.shape);
}

/** Returns whether a response depends only on the record's version. Serialization can add other records, or links that expire. */
function isConditional({ serialize }: Pick<Resource, "serialize">): boolean {
  return serialize === undefined;
}

/** Replies to a GET of one record: with 304 if the client has its current version (RFC 9110 §13.1.2). */
export async function conditionalReply<D extends Data>(
  access: Access,
  resource: Resource<D>,
  row: RecordRow<D>,
  { url, header }: { url: URL; header: (name: string) => string | null },
): Promise<Reply> {
  if (isConditional(resource) && matchesVersion(header("if-none-match"), row.version)) {
    return { status: 304, headers: { etag: etagOf(row.version) } };
  }
  return recordReply(access, resource, "get", row, { url });
}

/** Replies with one record. */
export async function recordReply<D extends Data>(
  access: Access,
  resource: Resource<D>,
  view: ViewName,
  row: RecordRow<D>,
  { url, headers = {} }: { url: URL; headers?: Record<string, string> },
): Promise<Reply & { body: Data }> {
  const [body = {}] = await serializeRecords(access, resource, [row], { view, base: url });
  return { body, ...dataSubjects(resource, [row]), headers: { ...headers, etag: etagOf(row.version) } };
}

// cspell:ignore aeio
const withArticle = ({ noun }: Resource) => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
const pluralNoun = ({ name }: Resource) => name.replaceAll(/[_-]/g, " ");

/** Returns the scope that a resource's routes need. Read-only resources have no routes that write. */
function requireScope({ name }: Resource, permission: Permission): Scope {
  if (isUnscopedResource(name)) return GLOBAL_SCOPE;
  const scope = `system/${name}.${permission}`;
  if (!isSpecificScope(scope)) throw new Error(`${scope} is not in the scope table`);
  return scope;
}

/** Declares the filters of a list as query parameters, each parsed as its field is. */
function filterQuery(resource: Resource): Record<string, z.ZodType> {
  return Object.fromEntries(
    listFilters(resource).map((filter) => {
      const value = filterParameter(resource, filter);
      const parameter = (filter.bound === "eq" ? repeatable(value) : value).optional();
      const description = value.description ?? describeFilter(resource, filter);
      return [filter.parameter, parameter.describe(description)];
    }),
  );
}

const flag = z.enum(["true", "false"]).transform((value) => value === "true");

const ID_COLUMNS = new Set<unknown>(["id", "patient_id", "practice_id"]);

function filterParameter(resource: Resource, { field, bound }: Filter): z.ZodType<unknown, string> {
  if (bound === "isnull" || bound === "isnotnull") return flag;
  if (bound === "words") return z.string().max(MAX_KEY_CHARACTERS);
  if (ID_COLUMNS.has(fieldColumn(resource, field))) return integerParam;
  const declared = fieldSchema(resource, field);
  const schema = declared && singleValue(declared);
  return isBound(bound) && isTime(schema) ? timeBound(fieldLabel(resource, field), bound) : valueParameter(schema);
}

/** Returns the schema of one value of a field in a URL. A string can be as long as the field allows. */
function valueParameter(schema: z.ZodType | undefined): z.ZodType<unknown, string> {
  if (schema instanceof z.ZodNumber) return integerParam;
  if (schema instanceof z.ZodBoolean) return flag;
  if (schema instanceof z.ZodEnum) return enumParam(schema.options.map(String));
  if (schema instanceof z.ZodISODate) return calendarDate;
  if (isTime(schema)) return timeParam({ zone: "optional" });
  return z.string().max((schema instanceof z.ZodString && schema.maxLength) || MAX_TEXT_CHARACTERS);
}

const isTime = (schema: z.ZodType | undefined) => schema instanceof z.ZodISODateTime || schema instanceof z.ZodPipe;
