// Access to an operation: authorized clients can call it, and other clients see none of its records.
import { expect } from "vitest";
import { type ApiResponse, call } from "../api";
import { securityEventsOf } from "../security-events";
import { REFERENCE_DATA, SPECIFIED_RESOURCES, specifiedScope } from "../specified-scopes";
import type { Operation } from "./operations";
import type { Setting } from "./setting";

/** Resources without scopes whose records belong to a practice. */
const UNSCOPED = [
  ...["patient_letter_categories", "patient_letters", "prescription_fills", "referral_orders", "users"],
  ...["patient-provider-teams", "published_events", "subscriptions"],
];

/** Resources whose records belong to a practice. */
export const PRACTICE_RESOURCES = [...SPECIFIED_RESOURCES, ...UNSCOPED].filter(
  (name) => !REFERENCE_DATA.includes(name),
);

/** Returns whether the path names a record of a practice. */
export const namesRecord = ({ path, resource, isPublic }: Operation) =>
  path.includes("[") && !isPublic && !REFERENCE_DATA.includes(resource);

function bodyOf({ method, path }: Operation, { world }: Setting) {
  const takesBody = method !== "GET" && (method !== "DELETE" || path.endsWith("delegates"));
  return takesBody ? { body: world.bodies[path] } : {};
}

/** Returns what a response reveals: everything but the headers that differ with every response. */
export function revealed({ status, headers, body }: ApiResponse) {
  const { "x-request-id": _id, ...others } = Object.fromEntries(headers);
  return { status, headers: others, body: JSON.stringify(body) };
}

/** Rejects credentials that are missing, no longer valid or insufficient, and stores the security event. */
export async function requiresCredentials(operation: Operation, setting: Setting): Promise<void> {
  const { method, path } = operation;
  const where = setting.world.at(path);
  const scope = specifiedScope(method, path);
  const insufficient = {
    token: setting.tokensByScope.get(scope)?.allOthers as string,
    status: 403,
    code: "insufficient_scope",
    event: ["access.denied", "insufficient_scope"],
  };
  const rejected = [...setting.rejected, insufficient];
  const events = await securityEventsOf(setting.world.basics.disabled, async () => {
    for (const { token, status, code, event } of rejected) {
      const response = await call(method, where, { token, ...bodyOf(operation, setting) });
      expect([event, response.status, response.body.code]).toEqual([event, status, code]);
      if (code === "insufficient_scope") expect(response.body.detail).toContain(scope);
    }
  });
  const stored = events.map((event) => [event.operation, event.detail.cause, event.path]);
  expect(stored).toEqual(rejected.flatMap(({ event }) => (event ? [[...event, `/api/2.0/${where}`]] : [])));
}

/** Requires exactly the scope that the specification lists. */
export async function requiresItsScopeAlone(operation: Operation, { world, tokensByScope }: Setting): Promise<void> {
  const { method, path, declaration } = operation;
  const scope = specifiedScope(method, path);
  expect(declaration.scope).toBe(scope);
  const token = tokensByScope.get(scope)?.alone as string;
  const { status } = await call(method, world.at(path, parametersOf(path)), { token });
  expect([401, 403, 500]).not.toContain(status);
}

/** Lists the names of a path's parameters. */
export const parametersOf = (path: string) => [...path.matchAll(/\[([^\]]+)\]/g)].map(([, name]) => name as string);

/** Responds to clients of another organization or practice exactly as if the record did not exist. */
export async function hidesRecordsOfOthers(operation: Operation, setting: Setting): Promise<void> {
  const { method, path } = operation;
  const { world, sibling } = setting;
  const query = method === "DELETE" && path.endsWith("insurance_cards") ? "?rank=1&side=1" : "";
  for (const token of [world.basics.stranger, sibling]) {
    const send = (where: string) => call(method, `${where}${query}`, { token, ...bodyOf(operation, setting) });
    const ours = await send(world.at(path));
    const absent = await send(world.at(path, ["id", "event_id", "patient_letters"]));
    expect(ours.status).toBe(404);
    expect(revealed(ours)).toEqual(revealed(absent));
  }
}

/** Finds a policy only below its own patient. */
export async function findsPoliciesOfThePatientAlone(operation: Operation, setting: Setting): Promise<void> {
  const { method, path } = operation;
  const { basics, at } = setting.world;
  for (const [token, patient] of [
    [basics.stranger, setting.emptyPatients.foreign],
    [basics.token, setting.emptyPatients.own],
  ] as const) {
    const send = (where: string) =>
      call(method, where.replace(/^patients\/\d+/, `patients/${patient}`), { token, ...bodyOf(operation, setting) });
    const ours = await send(at(path));
    expect(ours.status).toBe(404);
    expect(revealed(ours)).toEqual(revealed(await send(at(path, ["policy_id"]))));
  }
}

/** Shows our records to us, and never to clients of another organization or practice, with any filter. */
export async function listsNoRecordOfOthers({ path, resource }: Operation, setting: Setting): Promise<void> {
  const { world, sibling } = setting;
  const parameter = { published_events: "event_id", office_staff: "staff_id" }[resource] ?? "id";
  const idField =
    { published_events: "event_id", "patient-provider-teams": "patient_provider_team_id" }[resource] ?? "id";
  const ours = Number(world.at(`${resource}/[${parameter}]`).split("/")[1]);
  const list = async (token: string, query: string): Promise<unknown[]> => {
    const { status, body } = await call("GET", `${path}/${query}`, { token });
    expect([query, status]).toEqual([query, 200]);
    return body.results.map((entry: Record<string, unknown>) => entry[idField]);
  };
  expect(await list(world.basics.token, "?limit=100")).toContain(ours);
  for (const token of [world.basics.stranger, sibling]) {
    for (const query of ["", `?practice=${world.basics.disabled}`, "?offset=0&limit=100"])
      expect(await list(token, query)).not.toContain(ours);
  }
}
