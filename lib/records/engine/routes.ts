import { z } from "zod";
import { idParam, type RouteHandler, tokenEndpoint } from "@/lib/access/endpoints/endpoint";
import type { Access } from "@/lib/access/identity/access";
import { isScopeResource, type SpecificScope } from "@/lib/access/identity/scopes";
import { json } from "@/lib/platform/http/body";
import { etagOf, isUnchanged } from "@/lib/platform/http/conditional";
import { calendarDate } from "@/lib/platform/http/field-types";
import { pageOf, pageQuery, toPage, toPageRequest, wholeNumber } from "@/lib/platform/http/pagination";
import { isBound, isStorable, repeatable, timeBound, timeParam, wordParam } from "@/lib/platform/http/query";
import type { Reply } from "@/lib/platform/http/reply";
import { route } from "@/lib/platform/http/route";
import type { RouteEntry, RouteModule } from "@/lib/platform/http/route-table";
import { createRecord, deleteRecord, updateRecord } from "./commands";
import { LONGEST_TEXT } from "./field-types";
import { listRecords } from "./list-queries";
import { getRecord, getRecordByPathField } from "./queries";
import {
  bodySchema,
  describeFilter,
  type Filter,
  fieldColumn,
  fieldLabel,
  fieldSchema,
  LONGEST_KEY,
  listFilters,
  patchSchema,
  responseSchema,
} from "./rules";
import type { Operation, RecordRow, Resource, ViewName } from "./schema";
import { dataSubjects, serializeRecord, serializeRecords } from "./view-queries";

/** What a path may name a record by, instead of its id. */
const LONGEST_NAME = 200;

/**
 * Lists the paths of a resource with their handlers; parts of resources have separate routes. Each path is declared at its
 * first call: building the schemas of all operations would delay the start of every process by a second.
 */
export function resourceRoutes(resource: Resource): RouteEntry[] {
  const { name, path = name, pathField = "id", operations } = resource;
  if (!isScopeResource(name)) return [];
  const has = (wanted: readonly Operation[]) => operations.some((operation) => wanted.includes(operation));
  const routes = [
    { entry: atFirstCall(path, () => collectionRoute(resource)), isThere: has(["list", "create"]) },
    {
      entry: atFirstCall(`${path}/[${pathField}]`, () => recordRoute(resource)),
      isThere: has(["get", "replace", "update", "delete"]),
    },
  ];
  return routes.flatMap(({ isThere, entry }) => (isThere ? [entry] : []));
}

function atFirstCall(path: string, declare: () => RouteModule): RouteEntry {
  let module: RouteModule | undefined;
  return {
    path,
    get module() {
      module ??= declare();
      return module;
    },
  };
}

/** The list of a resource, and how its records are made. */
function collectionRoute(resource: Resource) {
  const list = () =>
    tokenEndpoint({
      name: `${(resource.path ?? resource.name).replace("/", "_")}.list`,
      summary: `List ${searchWords(resource)}`,
      scope: scopeOf(resource, "read"),
      query: { ...filterQuery(resource), ...pageQuery(["created_date", ...(resource.sortFields ?? [])]) },
      response: pageOf(responseSchema(resource, "list")),
      status: 200,
      handle: async ({ access, query, url }) => {
        const page = toPageRequest(query, url);
        const slice = await listRecords(access, resource, query, page);
        const views = await serializeRecords(access, resource, slice.rows, { view: "list", base: url });
        const rows = slice.rows.map((row, index) => ({ ...row, shown: views[index] }));
        const body = toPage(url, page, { ...slice, rows }, ({ shown }) => shown);
        return { body, ...dataSubjects(resource, slice.rows) };
      },
    });
  const create = () =>
    tokenEndpoint({
      name: `${resource.name}.create`,
      summary: `Create ${oneOf(resource)}`,
      scope: scopeOf(resource, "write"),
      body: json(bodySchema(resource, "create")),
      signs: signingFieldsOf(bodySchema(resource, "create")),
      response: responseSchema(resource, "create"),
      headers: ["Location", "ETag"],
      status: 201,
      handle: async ({ access, origin, body, url, requester }) => {
        const row = await createRecord({ access, origin, requester }, resource, body);
        const location = new URL(`/api/2.0/${resource.name}/${row.id}/`, url).href;
        return recordReply(access, resource, "create", row, { url, headers: { location } });
      },
    });
  return route(only(resource, { GET: ["list", list], POST: ["create", create] }));
}

/** One record of a resource. */
function recordRoute(resource: Resource) {
  const params = { id: idParam };
  const reading = {
    name: `${resource.name}.get`,
    summary: `Get ${oneOf(resource)}`,
    ...(isConditional(resource) ? { conditional: true as const } : {}),
    scope: scopeOf(resource, "read"),
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
  const getNamed = (named: string) => () =>
    tokenEndpoint({
      ...reading,
      params: { [named]: z.string().min(1).max(LONGEST_NAME).refine(isStorable) },
      handle: async ({ access, params: { [named]: name }, url, header }) =>
        conditionalReply(access, resource, await getRecordByPathField(access, resource, name as string), {
          url,
          header,
        }),
    });
  const write = (verb: "replace" | "update", input: z.ZodObject<Record<string, z.ZodType>>) => () =>
    tokenEndpoint({
      name: `${resource.name}.${verb}`,
      summary: `${verb === "replace" ? "Update" : "Change fields of"} ${oneOf(resource)}`,
      conditional: true,
      // What was signed stays signed by whom and when it was.
      refusals: resource.fields.signed_by?.kind === "sent" ? [422] : [],
      scope: scopeOf(resource, "write"),
      params,
      body: json(input),
      signs: signingFieldsOf(input),
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
      summary: `Delete ${oneOf(resource)}`,
      conditional: true,
      scope: scopeOf(resource, "write"),
      params,
      status: 204,
      handle: async ({ access, params: { id }, ifMatch, origin }) => {
        await deleteRecord({ access, id, ifMatch, origin }, resource);
        return {};
      },
    });
  return route(
    only(resource, {
      GET: ["get", resource.pathField ? getNamed(resource.pathField) : get],
      PUT: ["replace", write("replace", bodySchema(resource, "update"))],
      PATCH: ["update", write("update", patchSchema(resource))],
      DELETE: ["delete", remove],
    }),
  );
}

/** The fields of a body that sign the document. */
function signingFieldsOf(input: z.ZodObject): string[] {
  return ["signed_by", "signed_date", "sign_date"].filter((name) => name in input.shape);
}

/** Whether a record's answers follow from its version: those with a `show` hold what is kept elsewhere, or links that end. */
function isConditional({ serialize }: Pick<Resource, "serialize">): boolean {
  return serialize === undefined;
}

/** The answer to a GET of one record: 304 where the client has it as it is (RFC 9110 §13.1.2). */
export async function conditionalReply(
  access: Access,
  resource: Resource,
  row: RecordRow,
  { url, header }: { url: URL; header: (name: string) => string | null },
): Promise<Reply> {
  if (isConditional(resource) && isUnchanged(header("if-none-match"), row.version)) {
    return { status: 304, headers: { etag: etagOf(row.version) } };
  }
  return recordReply(access, resource, "get", row, { url });
}

/** The answer that is one record. */
export async function recordReply(
  access: Access,
  resource: Resource,
  view: ViewName,
  row: RecordRow,
  { url, headers = {} }: { url: URL; headers?: Record<string, string> },
): Promise<Reply> {
  const { data: body, ...shown } = await serializeRecord(access, resource, row, { view, base: url });
  return { body, ...shown, headers: { ...headers, etag: etagOf(row.version) } };
}

/** Keeps of the declared methods those of the operations that the resource has. */
function only<M extends string>({ operations }: Resource, declared: Record<M, [Operation, () => RouteHandler]>) {
  const kept = Object.entries<[Operation, () => RouteHandler]>(declared).filter(([, [one]]) =>
    operations.includes(one),
  );
  return Object.fromEntries(kept.map(([method, [, declare]]) => [method, declare()])) as Partial<
    Record<M, RouteHandler>
  >;
}

// cspell:ignore aeio
const oneOf = ({ noun }: Resource) => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
const searchWords = ({ name }: Resource) => name.replaceAll(/[_-]/g, " ");

const scopeOf = ({ name }: Resource, permission: "read" | "write") => `system/${name}.${permission}` as SpecificScope;

/** The list's own query parameters, each read as its field is. */
function filterQuery(resource: Resource): Record<string, z.ZodType> {
  return Object.fromEntries(
    listFilters(resource).map((filter) => {
      const value = parameterFor(resource, filter);
      const parameter = (filter.bound === "eq" ? repeatable(value) : value).optional();
      const description = value.description ?? describeFilter(resource, filter);
      return [filter.parameter, parameter.describe(description)];
    }),
  );
}

const flag = z.enum(["true", "false"]).transform((value) => value === "true");

const ID_COLUMNS = new Set<unknown>(["id", "patient_id", "practice_id"]);

function parameterFor(resource: Resource, { field, bound }: Filter): z.ZodType<unknown, string> {
  if (bound === "isnull" || bound === "isnotnull") return flag;
  if (bound === "words") return z.string().max(LONGEST_KEY);
  if (ID_COLUMNS.has(fieldColumn(resource, field))) return wholeNumber;
  const schema = unwrapped(fieldSchema(resource, field));
  if (!isBound(bound)) return valueParameter(schema);
  return isTime(schema) ? timeBound(fieldLabel(resource, field), bound) : valueParameter(schema);
}

/** One value of a field, as it stands in a URL. A text may be as long as the field's. */
function valueParameter(schema: z.ZodType | undefined): z.ZodType<unknown, string> {
  if (schema instanceof z.ZodNumber) return wholeNumber;
  if (schema instanceof z.ZodBoolean) return flag;
  if (schema instanceof z.ZodEnum) return wordParam(schema.options as string[]);
  if (schema instanceof z.ZodISODate) return calendarDate;
  if (isTime(schema)) return timeParam({ zone: "optional" });
  return z.string().max((schema instanceof z.ZodString && schema.maxLength) || LONGEST_TEXT);
}

const isTime = (schema: z.ZodType | undefined) => schema instanceof z.ZodISODateTime || schema instanceof z.ZodPipe;

/** What a list, or what may be left out, holds. */
function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodArray;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}
