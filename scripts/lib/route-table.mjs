// The tables of routes of the API and of the staff side, made from their folders by the rules of Next's app router.
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";

/** Tables and the folders they are made from. */
const FOLDERS = { apiRoutes: "app/api/2.0", staffRoutes: "app/api/staff" };
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
  const tables = Object.entries(FOLDERS).map(([name, folder]) => ({ name, routes: routesBelow(folder) }));
  const modules = tables.flatMap(({ routes }) => routes.map(({ module }) => module));
  const text = [
    `// Made by scripts/build.mjs from ${Object.values(FOLDERS).join(" and ")}.`,
    'import type { RouteEntry } from "@/lib/http/route-table";',
    ...modules.map((module, index) => `import * as route${index} from "@/${module}/route";`),
    "",
    ...tables.flatMap(({ name, routes }) => [
      `export const ${name}: readonly RouteEntry[] = [`,
      ...routes.map(
        ({ route, module }) => `  { path: ${JSON.stringify(route)}, module: route${modules.indexOf(module)} },`,
      ),
      "];",
      "",
    ]),
  ].join("\n");
  const file = inRoot(TABLE);
  if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  return modules.length;
}

function routesBelow(folder) {
  const found = fs.existsSync(inRoot(folder)) ? [...routeFolders(inRoot(folder), [])] : [];
  return found
    .map(({ folder: own, segments }) => ({
      route: segments.join("/"),
      module: path.relative(inRoot(), own).split(path.sep).join("/"),
    }))
    .sort((a, b) => (a.route < b.route ? -1 : 1));
}
