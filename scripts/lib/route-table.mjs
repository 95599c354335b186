// The route tables of the API and of the staff pages, generated from their folders by the rules of Next's app router.
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "./paths.mjs";

/** The tables, the files they are written to, and the folders they are generated from. */
const TABLES = [
  { name: "apiRoutes", file: "generated/api-routes.ts", folder: "app/api/2.0", withResources: true },
  { name: "staffRoutes", file: "generated/staff-routes.ts", folder: "app/api/staff", withResources: false },
];
/** The table of resources that are served from their declarations alone. Each has its own file. */
const RESOURCES = "lib/records/catalog";
const RESOURCE_TABLE = "generated/resources.ts";

function* routeFolders(folder, segments) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name === "route.ts") yield { folder, segments };
    // A folder named _like-this is private; one named (like-this) groups without being part of the path.
    if (!entry.isDirectory() || entry.name.startsWith("_")) continue;
    const own = /^\(.*\)$/.test(entry.name) ? [] : [entry.name];
    yield* routeFolders(path.join(folder, entry.name), [...segments, ...own]);
  }
}

/** Writes generated/api-routes.ts and the other tables, if they changed. Returns the number of routes. */
export function writeRouteTable() {
  writeWhereChanged(RESOURCE_TABLE, resourceTable());
  let count = 0;
  for (const { name, file, folder, withResources } of TABLES) {
    const routes = routesBelow(folder);
    count += routes.length;
    const lines = [
      `// Made by scripts/build.mjs from ${folder}.`,
      'import type { RouteEntry } from "@/lib/platform/http/route";',
      ...(withResources
        ? ['import { resourceRoutes } from "@/lib/records/engine/routes";', 'import { resources } from "./resources";']
        : []),
      ...routes.map(({ module }, index) => `import * as route${index} from "@/${module}/route";`),
      "",
      `export const ${name}: readonly RouteEntry[] = [`,
      ...routes.map(({ route }, index) => `  { path: ${JSON.stringify(route)}, module: route${index} },`),
      ...(withResources ? ["  ...resources.flatMap(resourceRoutes),"] : []),
      "];",
      "",
    ];
    writeWhereChanged(file, lines.join("\n"));
  }
  return count;
}

/** Returns the declarations below lib/records/catalog, by their folders and files. */
function resourceTable() {
  const files = fs
    .readdirSync(inRoot(RESOURCES), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      fs.readdirSync(inRoot(RESOURCES, name)).map((file) => `${name}/${file.replace(/\.ts$/, "")}`),
    )
    .sort();
  return [
    `// Made by scripts/build.mjs from ${RESOURCES}.`,
    'import type { Resource } from "@/lib/records/engine/schema";',
    ...files.map((file, index) => `import * as file${index} from "@/${RESOURCES}/${file}";`),
    "",
    "/** Every resource that is served from its declaration. */",
    `export const resources: readonly Resource[] = [${files.map((_, index) => `file${index}`).join(", ")}].flatMap((file) => Object.values(file));`,
    "",
  ].join("\n");
}

function writeWhereChanged(name, text) {
  const file = inRoot(name);
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
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
