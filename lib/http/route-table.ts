export type RouteParams = Record<string, string | string[]>;
export type RouteFunction = (request: Request, context: { params: Promise<RouteParams> }) => Promise<Response>;
/** What a route.ts exports, by method. */
export type RouteModule = Readonly<Partial<Record<string, RouteFunction>>>;

export interface RouteEntry {
  /** Folders below the root of the table, as Next names them: `patients/[id]/policies`, `[...path]`. */
  path: string;
  module: RouteModule;
}

export interface RouteMatch {
  module: RouteModule;
  params: RouteParams;
}

interface Place {
  fixed: Map<string, Place>;
  param?: { name: string; place: Place };
  rest?: { name: string; module: RouteModule };
  optionalRest?: { name: string; module: RouteModule };
  module?: RouteModule;
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
      const module = find(root, segments, 0, params);
      return module ? { module, params } : null;
    } catch (error) {
      if (error instanceof MalformedPathError) return null;
      throw error;
    }
  };
}

function insert(root: Place, { path, module }: RouteEntry): void {
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
      place[kind] = { name, module };
      return;
    }
  }
  if (place.module) throw conflict();
  place.module = module;
}

function find(place: Place, segments: readonly string[], index: number, params: RouteParams): RouteModule | null {
  const segment = segments[index];
  if (segment === undefined) return place.module ?? place.optionalRest?.module ?? null;
  const fixed = place.fixed.get(segment);
  const found = fixed && find(fixed, segments, index + 1, params);
  if (found) return found;
  if (place.param) {
    const module = find(place.param.place, segments, index + 1, params);
    if (module) {
      params[place.param.name] = decode(segment);
      return module;
    }
  }
  const rest = place.rest ?? place.optionalRest;
  if (!rest) return null;
  params[rest.name] = segments.slice(index).map(decode);
  return rest.module;
}

function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new MalformedPathError();
  }
}
