import { apiRoutes } from "@/generated/api-routes";
import type { RouteHandler } from "@/lib/http/endpoint";
import { createRouteTable } from "@/lib/http/route-table";
import { type Difference, differences, type Facts, type NamedFacts } from "./contract-schema";

/** An operation as the contract's facts have it. */
export interface ContractOperation {
  method: string;
  path: string;
  query?: { name: string }[];
  body?: Facts;
  responses: Record<string, Facts | null>;
}

/** The contract: operations by group and resource, with their scopes. */
export type Contract = Readonly<Record<string, Record<string, { scopes: string[]; operations: ContractOperation[] }>>>;

/** How one operation of the contract is served. */
export interface ServedOperation {
  group: string;
  resource: string;
  method: string;
  path: string;
  scope: string;
  isServed: boolean;
  differences: Difference[];
}

const find = createRouteTable(apiRoutes);

/** What a method of a path declares; null where nothing answers there. */
export function declarationAt(method: string, path: string): RouteHandler["declaration"] | null {
  const sample = path.replace(/^\/api\/2\.0\//, "").replace(/\{[^}]+\}/g, "1");
  const handler = find(sample)?.module[method] as Partial<RouteHandler> | undefined;
  return handler?.declaration ?? null;
}

/** Every operation of the contract, with how ours differs from it. */
export function compareWithContract(contract: Contract, named: NamedFacts): ServedOperation[] {
  return Object.entries(contract).flatMap(([group, resources]) =>
    Object.entries(resources).flatMap(([resource, { scopes, operations }]) =>
      operations.map((operation) => {
        const scope = scopeFor(operation.method, scopes);
        const { method, path } = operation;
        const served = compareOperation(operation, scope, named);
        return { group, resource, method, path, scope, isServed: served !== null, differences: served ?? [] };
      }),
    ),
  );
}

function scopeFor(method: string, scopes: readonly string[]): string {
  const permission = method === "GET" ? ".read" : ".write";
  return scopes.find((scope) => scope.endsWith(permission)) ?? scopes[0] ?? "";
}

function compareOperation(operation: ContractOperation, scope: string, named: NamedFacts): Difference[] | null {
  const declared = declarationAt(operation.method, operation.path);
  if (!declared) return null;
  const found: Difference[] = [];
  if (declared.scope !== scope) found.push({ at: "scope", problem: `is ${declared.scope}` });
  for (const { name } of operation.query ?? []) {
    if (!(name in (declared.query ?? {}))) found.push({ at: `?${name}`, problem: "is missing" });
  }
  const status = Object.keys(operation.responses).find((code) => code.startsWith("2"));
  if (status !== String(declared.status))
    found.push({ at: "status", problem: `is ${declared.status}, there ${status}` });
  const answer = operation.responses[status ?? ""];
  const within = (place: string, list: Difference[]) =>
    list.map(({ at, problem }) => ({ at: `${place} ${at}`, problem }));
  if (operation.body) {
    const schema = declared.body?.schema;
    if (!schema) found.push({ at: "body", problem: "is not described" });
    else found.push(...within("body", differences(schema, operation.body, { named, io: "input" })));
  }
  if (answer && declared.response) {
    found.push(...within("answer", differences(declared.response, answer, { named, io: "output" })));
  }
  return found;
}
