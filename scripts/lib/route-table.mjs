// The table of API routes, made from the folders below app/api/2.0 by the rules of Next's app router.
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";

const FOLDER = "app/api/2.0";
const TABLE = "generated/api-routes.ts";

function* routeFolders(folder, segments) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name === "route.ts") yield { folder, segments };
    // A folder named _like-this is private; one named (like-this) groups without being part of the path.
    if (!entry.isDirectory() || entry.name.startsWith("_")) continue;
    const own = /^\(.*\)$/.test(entry.name) ? [] : [entry.name];
    yield* routeFolders(path.join(folder, entry.name), [...segments, ...own]);
  }
}

/** Writes generated/api-routes.ts; leaves the file alone where nothing changed. Returns the number of routes. */
export function writeRouteTable() {
  const routes = fs.existsSync(inRoot(FOLDER)) ? [...routeFolders(inRoot(FOLDER), [])] : [];
  const sorted = routes
    .map(({ folder, segments }) => ({
      route: segments.join("/"),
      module: path.relative(inRoot(), folder).split(path.sep).join("/"),
    }))
    .sort((a, b) => (a.route < b.route ? -1 : 1));
  const text = [
    `// Made by scripts/build.mjs from ${FOLDER}.`,
    'import type { RouteEntry } from "@/lib/http/route-table";',
    ...sorted.map(({ module }, index) => `import * as route${index} from "@/${module}/route";`),
    "",
    "export const apiRoutes: readonly RouteEntry[] = [",
    ...sorted.map(({ route }, index) => `  { path: ${JSON.stringify(route)}, module: route${index} },`),
    "];",
    "",
  ].join("\n");
  const file = inRoot(TABLE);
  if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  return sorted.length;
}
