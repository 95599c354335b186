import type { HttpBindings } from "@hono/node-server";

export type RouteParams = Record<string, string | string[]>;

export interface RouteContext {
  params: Promise<RouteParams>;
  /** Node's messages behind the request. Absent under `next dev`. */
  node?: HttpBindings;
}

export type RouteFunction = (request: Request, context: RouteContext) => Promise<Response>;
/** The exports of a route.ts, by method. */
export type RouteModule = Readonly<Partial<Record<string, RouteFunction>>>;

export interface RouteEntry {
  /** Folders below the root of the table, as in Next: `patients/[id]/policies`, `[...path]`. */
  path: string;
  /** Can be a getter. It is only read for a call to this path. */
  readonly module: RouteModule;
}

export interface RouteMatch {
  module: RouteModule;
  params: RouteParams;
}

interface Node {
  fixed: Map<string, Node>;
  param?: { name: string; node: Node };
  rest?: { name: string; entry: RouteEntry };
  optionalRest?: { name: string; entry: RouteEntry };
  entry?: RouteEntry;
}

class MalformedPathError extends Error {}

/**
 * Makes a matcher with the precedence of Next's app router: fixed segments before `[param]` before `[...rest]` before `[[...rest]]`.
 *
 * The matcher takes the percent-encoded path below the table's root, with or without a trailing slash. It returns null if nothing matches
 * or the encoding is malformed.
 *
 * @throws if two entries have the same path, or name the same parameter differently
 */
export function createRouteTable(entries: readonly RouteEntry[]): (path: string) => RouteMatch | null {
  const root: Node = { fixed: new Map() };
  for (const entry of entries) insert(root, entry);
  return (path) => {
    const segments = path.split("/");
    if (segments[0] === "") segments.shift();
    if (segments.at(-1) === "") segments.pop();
    if (segments.includes("")) return null;
    const params: RouteParams = {};
    try {
      const entry = find(root, segments, 0, params);
      return entry ? { module: entry.module, params } : null;
    } catch (error) {
      if (error instanceof MalformedPathError) return null;
      throw error;
    }
  };
}

function insert(root: Node, entry: RouteEntry): void {
  const { path } = entry;
  const conflict = () => new Error(`Two API routes claim ${path}`);
  let node = root;
  const segments = path === "" ? [] : path.split("/");
  for (const [index, segment] of segments.entries()) {
    const [, optional, dots, name] = /^\[(\[)?(\.\.\.)?([^\]]+)\]\]?$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = node.fixed.get(segment) ?? { fixed: new Map() };
      node.fixed.set(segment, next);
      node = next;
    } else if (dots === undefined) {
      node.param ??= { name, node: { fixed: new Map() } };
      if (node.param.name !== name) throw conflict();
      node = node.param.node;
    } else {
      const kind = optional ? "optionalRest" : "rest";
      if (node[kind] || index !== segments.length - 1) throw conflict();
      node[kind] = { name, entry };
      return;
    }
  }
  if (node.entry) throw conflict();
  node.entry = entry;
}

function find(node: Node, segments: readonly string[], index: number, params: RouteParams): RouteEntry | null {
  const segment = segments[index];
  if (segment === undefined) return node.entry ?? node.optionalRest?.entry ?? null;
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, index + 1, params);
  if (found) return found;
  if (node.param) {
    const entry = find(node.param.node, segments, index + 1, params);
    if (entry) {
      params[node.param.name] = decode(segment);
      return entry;
    }
  }
  const rest = node.rest ?? node.optionalRest;
  if (!rest) return null;
  params[rest.name] = segments.slice(index).map(decode);
  return rest.entry;
}

function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new MalformedPathError();
  }
}
