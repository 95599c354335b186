import { z } from "zod";
import { json } from "@/lib/http/body";
import { etagOf } from "@/lib/http/conditional";
import { idParam, type RouteHandler, tokenEndpoint } from "@/lib/http/endpoint";
import { pageOf, pageQuery, toPage, toPageRequest, wholeNumber } from "@/lib/http/pagination";
import { isStorable, repeatable, timeParam } from "@/lib/http/query";
import type { Reply } from "@/lib/http/reply";
import { route } from "@/lib/http/route";
import type { RouteEntry } from "@/lib/http/route-table";
import { calendarDate } from "@/lib/insurance/fields";
import type { Access } from "@/lib/oauth/access";
import { isScopeResource, type SpecificScope } from "@/lib/oauth/scopes";
import { signedFileUrl } from "@/lib/storage/signed-url";
import { createRecord, deleteRecordOf, updateRecordOf } from "./commands";
import { toRecordDto } from "./dto";
import { listRecords } from "./list-queries";
import { getNamedRecord, getRecord, readRecords } from "./queries";
import { answerOf, columnOf, type Filter, filtersOf, inputOf, patchOf, schemaOf, wordsOfFilter } from "./rules";
import type { Data, Operation, RecordRow, Resource, ViewName } from "./schema";

/** What a path may name a record by, instead of its id. */
const LONGEST_NAME = 200;

/** The paths of a resource, each with what answers there; parts of resources have routes of their own. */
export function routesOf(resource: Resource): RouteEntry[] {
  const { name, path = name, named = "id", operations } = resource;
  if (!isScopeResource(name)) return [];
  const has = (wanted: readonly Operation[]) => operations.some((operation) => wanted.includes(operation));
  const routes = [
    { path, module: collectionRoute(resource), isThere: has(["list", "create"]) },
    { path: `${path}/[${named}]`, module: recordRoute(resource), isThere: has(["get", "replace", "update", "delete"]) },
  ];
  return routes.flatMap(({ isThere, ...entry }) => (isThere ? [entry as RouteEntry] : []));
}

/** The list of a resource, and how its records are made. */
function collectionRoute(resource: Resource) {
  const list = () =>
    tokenEndpoint({
      name: `${(resource.path ?? resource.name).replace("/", "_")}.list`,
      summary: `List ${wordsOf(resource)}`,
      scope: scopeOf(resource, "read"),
      query: { ...filterQuery(resource), ...pageQuery(["created_date", ...(resource.orders ?? [])]) },
      response: pageOf(answerOf(resource, "list")),
      status: 200,
      handle: async ({ access, query, url }) => {
        const page = toPageRequest(query, url);
        const slice = await listRecords(access, resource, query, page);
        const shown = await shownOf(access, resource, "list", slice.rows, url);
        const rows = slice.rows.map((row, index) => ({ ...row, shown: shown[index] }));
        const body = toPage(url, page, { ...slice, rows }, (row) => toRecordDto(resource, "list", row, row.shown));
        return { body, patients: slice.rows.flatMap(({ patient_id }) => patient_id ?? []) };
      },
    });
  const create = () =>
    tokenEndpoint({
      name: `${resource.name}.create`,
      summary: `Create ${oneOf(resource)}`,
      scope: scopeOf(resource, "write"),
      body: json(inputOf(resource, "create")),
      signs: signingFieldsOf(inputOf(resource, "create")),
      response: answerOf(resource, "create"),
      headers: ["Location", "ETag"],
      status: 201,
      handle: async ({ access, origin, body, url }) => {
        const row = await createRecord({ access, origin }, resource, body);
        const location = new URL(`/api/2.0/${resource.name}/${row.id}/`, url).href;
        return replyOf(access, resource, "create", row, { url, headers: { location } });
      },
    });
  return route(only(resource, { GET: ["list", list], POST: ["create", create] }));
}

/** One record of a resource. */
function recordRoute(resource: Resource) {
  const params = { id: idParam };
  const get = () =>
    tokenEndpoint({
      name: `${resource.name}.get`,
      summary: `Get ${oneOf(resource)}`,
      scope: scopeOf(resource, "read"),
      params,
      response: answerOf(resource, "get"),
      headers: ["ETag"],
      status: 200,
      handle: async ({ access, params: { id }, url }) =>
        replyOf(access, resource, "get", await getRecord(access, resource, id), { url }),
    });
  const getNamed = (named: string) => () =>
    tokenEndpoint({
      name: `${resource.name}.get`,
      summary: `Get ${oneOf(resource)}`,
      scope: scopeOf(resource, "read"),
      params: { [named]: z.string().min(1).max(LONGEST_NAME).refine(isStorable) },
      response: answerOf(resource, "get"),
      headers: ["ETag"],
      status: 200,
      handle: async ({ access, params: { [named]: name }, url }) =>
        replyOf(access, resource, "get", await getNamedRecord(access, resource, name as string), { url }),
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
      response: answerOf(resource, "update"),
      headers: ["ETag"],
      status: 200,
      handle: async ({ access, params: { id }, ifMatch, origin, body, url }) => {
        const row = await updateRecordOf({ access, id, ifMatch, origin }, resource, body);
        return replyOf(access, resource, "update", row, { url });
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
        await deleteRecordOf({ access, id, ifMatch, origin }, resource);
        return {};
      },
    });
  return route(
    only(resource, {
      GET: ["get", resource.named ? getNamed(resource.named) : get],
      PUT: ["replace", write("replace", inputOf(resource, "update"))],
      PATCH: ["update", write("update", patchOf(resource))],
      DELETE: ["delete", remove],
    }),
  );
}

/** The fields of a body that sign the document. */
function signingFieldsOf(input: z.ZodObject): string[] {
  return ["signed_by", "signed_date", "sign_date"].filter((name) => name in input.shape);
}

/** What answers hold beyond what is kept, record by record. */
async function shownOf(
  access: Access,
  resource: Resource,
  view: ViewName,
  rows: readonly RecordRow[],
  url: URL,
): Promise<readonly Data[]> {
  const link = (path: string) => new URL(`/api/2.0/${path}`, url).href;
  const fileLink = (id: number) => signedFileUrl(id, url).url;
  return resource.show?.(rows, { view, read: readRecords(access), link, fileLink }) ?? [];
}

/** The answer that is one record. */
export async function replyOf(
  access: Access,
  resource: Resource,
  view: ViewName,
  row: RecordRow,
  { url, headers = {} }: { url: URL; headers?: Record<string, string> },
): Promise<Reply> {
  const [shown] = await shownOf(access, resource, view, [row], url);
  return {
    body: toRecordDto(resource, view, row, shown),
    patients: row.patient_id === null ? [] : [row.patient_id],
    headers: { ...headers, etag: etagOf(row.version) },
  };
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

const oneOf = ({ noun }: Resource) => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
const wordsOf = ({ name }: Resource) => name.replaceAll(/[_-]/g, " ");

const scopeOf = ({ name }: Resource, permission: "read" | "write") => `system/${name}.${permission}` as SpecificScope;

/** The list's own query parameters, each read as its field is. */
function filterQuery(resource: Resource): Record<string, z.ZodType> {
  return Object.fromEntries(
    filtersOf(resource).map((filter) => [
      filter.parameter,
      filterParameter(resource, filter).optional().describe(wordsOfFilter(resource, filter)),
    ]),
  );
}

function filterParameter(resource: Resource, { field, bound }: Filter): z.ZodType {
  if (bound === "isnull" || bound === "isnotnull") return flag;
  const value = bound === "words" ? z.string().max(200) : parameterFor(resource, field);
  return bound === "eq" ? repeatable(value) : value;
}

const flag = z.enum(["true", "false"]).transform((value) => value === "true");
const moment = z.union([timeParam({ zone: "optional" }), calendarDate], {
  error: "Must be an ISO 8601 time or a date.",
});

const ID_COLUMNS = new Set<unknown>(["id", "patient_id", "practice_id"]);

function parameterFor(resource: Resource, field: string): z.ZodType<unknown, string> {
  return ID_COLUMNS.has(columnOf(resource, field)) ? wholeNumber : parameterOf(schemaOf(resource, field));
}

function parameterOf(schema: z.ZodType | undefined): z.ZodType<unknown, string> {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return parameterOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNumber) return wholeNumber;
  if (schema instanceof z.ZodBoolean) return flag;
  if (schema instanceof z.ZodISODate) return calendarDate;
  if (schema instanceof z.ZodISODateTime || schema instanceof z.ZodPipe) return moment;
  return z.string().max(200);
}
