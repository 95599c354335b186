import type { HttpBindings } from "@hono/node-server";

export type RouteParams = Record<string, string | string[]>;

export interface RouteContext {
  params: Promise<RouteParams>;
  /** Node's messages behind the request. Absent under `next dev`. */
  node?: HttpBindings;
}

export type RouteFunction = (request: Request, context: RouteContext) => Promise<Response>;
/** What a route.ts exports, by method. */
export type RouteModule = Readonly<Partial<Record<string, RouteFunction>>>;

export interface RouteEntry {
  /** Folders below the root of the table, as Next names them: `patients/[id]/policies`, `[...path]`. */
  path: string;
  /** May be a getter: read when a call is for it, and not before. */
  readonly module: RouteModule;
}

export interface RouteMatch {
  module: RouteModule;
  params: RouteParams;
}

interface Place {
  fixed: Map<string, Place>;
  param?: { name: string; place: Place };
  rest?: { name: string; entry: RouteEntry };
  optionalRest?: { name: string; entry: RouteEntry };
  entry?: RouteEntry;
}

class MalformedPathError extends Error {}

/**
 * Makes a matcher with the precedence of Next's app router: fixed segments before `[param]` before `[...rest]` before
 * `[[...rest]]`, at every place.
 *
 * The matcher takes the path below the table's root, with or without a trailing slash, still percent-encoded. It answers
 * null where nothing matches or the encoding is malformed.
 *
 * @throws where two entries claim the same path, or name the same parameter differently
 */
export function createRouteTable(entries: readonly RouteEntry[]): (path: string) => RouteMatch | null {
  const root: Place = { fixed: new Map() };
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

function insert(root: Place, entry: RouteEntry): void {
  const { path } = entry;
  const conflict = () => new Error(`Two API routes claim ${path}`);
  let place = root;
  const segments = path === "" ? [] : path.split("/");
  for (const [index, segment] of segments.entries()) {
    const [, optional, dots, name] = /^\[(\[)?(\.\.\.)?([^\]]+)\]\]?$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = place.fixed.get(segment) ?? { fixed: new Map() };
      place.fixed.set(segment, next);
      place = next;
    } else if (dots === undefined) {
      place.param ??= { name, place: { fixed: new Map() } };
      if (place.param.name !== name) throw conflict();
      place = place.param.place;
    } else {
      const kind = optional ? "optionalRest" : "rest";
      if (place[kind] || index !== segments.length - 1) throw conflict();
      place[kind] = { name, entry };
      return;
    }
  }
  if (place.entry) throw conflict();
  place.entry = entry;
}

function find(place: Place, segments: readonly string[], index: number, params: RouteParams): RouteEntry | null {
  const segment = segments[index];
  if (segment === undefined) return place.entry ?? place.optionalRest?.entry ?? null;
  const fixed = place.fixed.get(segment);
  const found = fixed && find(fixed, segments, index + 1, params);
  if (found) return found;
  if (place.param) {
    const entry = find(place.param.place, segments, index + 1, params);
    if (entry) {
      params[place.param.name] = decode(segment);
      return entry;
    }
  }
  const rest = place.rest ?? place.optionalRest;
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
