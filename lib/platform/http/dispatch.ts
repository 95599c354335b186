import { fromKeys } from "@/lib/platform/objects";
import { createRouteTable, type RouteEntry, type RouteFunction } from "./route-table";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
type Module = Record<(typeof METHODS)[number], RouteFunction>;

/** Makes the handlers of a catch-all route `[...path]` that serves a table of routes, with `unknown` for any other path. */
export function dispatch(entries: readonly RouteEntry[], unknown: Module): Module {
  const find = createRouteTable(entries);
  const answer =
    (method: (typeof METHODS)[number]): RouteFunction =>
    async (request, context) => {
      const { path } = await context.params;
      const found = find(
        [path]
          .flat()
          .map((segment) => encodeURIComponent(segment ?? ""))
          .join("/"),
      );
      const handle = found?.module[method];
      return handle ? handle(request, { params: Promise.resolve(found.params) }) : unknown[method](request, context);
    };
  return fromKeys(METHODS, answer);
}
