import { apiRoutes } from "@/generated/api-routes";
import { isRouteHandler, type RouteHandler } from "@/lib/access/endpoints/endpoint";
import { queryParameters } from "@/lib/api/openapi/operation";
import type { Parameter } from "@/lib/api/openapi/schema";
import { createRouteTable } from "@/lib/platform/http/route";
import { rejectedInputs } from "./contract-inputs";
import { type Difference, differences, type Facts, type NamedFacts } from "./contract-schema";

/** A query parameter in the contract. */
export interface ContractParameter {
  name: string;
  required?: boolean;
  enum?: readonly unknown[];
  items?: { enum?: readonly unknown[] };
}

/** An operation in the contract. */
export interface ContractOperation {
  method: string;
  path: string;
  query?: ContractParameter[];
  body?: Facts;
  responses: Record<string, Facts | null>;
}

/** The contract: operations by group and resource, with their scopes. */
export type Contract = Readonly<Record<string, Record<string, { scopes: string[]; operations: ContractOperation[] }>>>;

/** How an operation of the contract is served. */
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

/** Returns the declaration of a method of a path, or null if it is not served. */
export function declarationAt(method: string, path: string): RouteHandler["declaration"] | null {
  const sample = path.replace(/^\/api\/2\.0\//, "").replace(/\{[^}]+\}/g, "1");
  const handler = find(sample)?.module[method];
  return isRouteHandler(handler) ? handler.declaration : null;
}

/** Compares every operation of the contract with ours. */
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
  found.push(...compareParameters(operation.query ?? [], queryParameters(declared.query ?? {})));
  const status = Object.keys(operation.responses).find((code) => code.startsWith("2"));
  if (status !== String(declared.status))
    found.push({ at: "status", problem: `is ${declared.status}, contract: ${status}` });
  const response = operation.responses[status ?? ""];
  const within = (place: string, list: Difference[]) =>
    list.map(({ at, problem }) => ({ at: `${place} ${at}`, problem }));
  if (operation.body) {
    const schema = declared.body?.schema;
    if (!schema) found.push({ at: "body", problem: "is not described" });
    else {
      found.push(...within("body", differences(schema, operation.body, { named, io: "input" })));
      found.push(...within("body", rejectedInputs(schema, operation.body, named)));
    }
  }
  if (response && declared.response) {
    found.push(...within("response", differences(declared.response, response, { named, io: "output" })));
  }
  return found;
}

/** Compares query parameters: missing ones, required ones, and their allowed values. */
export function compareParameters(contract: readonly ContractParameter[], ours: readonly Parameter[]): Difference[] {
  return contract.flatMap(({ name, required = false, ...facts }): Difference[] => {
    const at = `?${name}`;
    const own = ours.find((one) => one.name === name);
    if (!own) return [{ at, problem: "is missing" }];
    const wanted = wordsOf(facts);
    const words = wordsOf(own.schema);
    const missing = wanted.filter((word) => !words.includes(word));
    const extra = wanted.length === 0 ? [] : words.filter((word) => !wanted.includes(word));
    return [
      ...((own.required ?? false) === required ? [] : [required ? "is not required" : "is required"]),
      ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
      ...(extra.length > 0 ? [`also has ${extra.join(", ")}`] : []),
    ].map((problem) => ({ at, problem }));
  });
}

/** Returns the allowed values of a parameter, or none if it accepts any. */
function wordsOf({ enum: words, items }: Pick<ContractParameter, "enum" | "items">): readonly unknown[] {
  return words ?? items?.enum ?? [];
}
