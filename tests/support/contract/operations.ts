// The operations of the API, in the groups of tests/api/operation-contract.
import { apiRoutes } from "@/generated/api-routes";
import { describeApi } from "@/lib/api/openapi/document";
import { pathOf } from "@/lib/api/openapi/operation";
import type { Operation as Description } from "@/lib/api/openapi/schema";
import { ENDPOINTS, type Endpoint } from "../world";

export interface Operation extends Endpoint {
  /** The path in the API description: `/api/2.0/patients/{id}/`. */
  describedPath: string;
  description: Description;
  /** The first segment that names a resource: some paths are repeated below `app`. */
  resource: string;
  isPublic: boolean;
}

/** The API description that `openapi.json` serves. */
export const apiDescription = describeApi(apiRoutes);

/** Operations that need no token, and why. */
export const PUBLIC_PATHS: Readonly<Record<string, string>> = {
  "oauth2/token": "the client's credentials authorize the call",
  "oauth2/revoke": "the client's credentials authorize the call",
  "oauth2/introspect": "the client's credentials authorize the call",
  "openapi.json": "the API description is public",
  "card_images/[key]": "the signature of the link authorizes the call",
  "files/[file_id]": "the signature of the link authorizes the call",
};

const METHOD_ORDER = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Deleted last, because other records belong to them. */
const DELETED_LATE = [
  /^(visit_notes|medications|message_threads|reports|insurance_companies)\/\[id\]$|\/policies\/\[policy_id\]$/,
  /^patients\/\[id\]$/,
];

/** Reads first and deletions last, so that each operation finds its records. */
function orderOf({ method, path }: Endpoint): number {
  const late = method === "DELETE" ? DELETED_LATE.findIndex((pattern) => pattern.test(path)) + 1 : 0;
  return METHOD_ORDER.indexOf(method) + late;
}

export const OPERATIONS: readonly Operation[] = ENDPOINTS.map((endpoint) => {
  const describedPath = pathOf(endpoint.path);
  const description = apiDescription.paths[describedPath]?.[endpoint.method.toLowerCase()];
  if (!description) throw new Error(`${endpoint.method} ${endpoint.path} is not in the API description`);
  return {
    ...endpoint,
    describedPath,
    description,
    resource: endpoint.path.replace(/^app\//, "").split("/")[0] as string,
    isPublic: endpoint.path in PUBLIC_PATHS,
  };
}).sort((one, other) => orderOf(one) - orderOf(other));

/** The test files of tests/api/operation-contract, with the tags of the API description whose operations each one tests. */
export const GROUPS = {
  documents: ["Patient document"],
  orders: ["Orders"],
  patients: ["Patient profile"],
  "other-groups": null,
} as const;
export type Group = keyof typeof GROUPS;

const GROUP_BY_TAG = new Map<string, Group>(
  Object.entries(GROUPS).flatMap(([group, tags]) => (tags ?? []).map((tag) => [tag, group as Group] as const)),
);

/** Lists the operations of one group; `other-groups` has those with any other tag. */
export const operationsOf = (group: Group) =>
  OPERATIONS.filter(({ description }) => (GROUP_BY_TAG.get(description.tags[0] ?? "") ?? "other-groups") === group);

/** Returns whether an operation is the first one of its path. */
export const isFirstOfPath = (operation: Operation) =>
  OPERATIONS.find(({ path }) => path === operation.path) === operation;
