// npm run staff:sizes: the JavaScript each page of the staff side loads at first, compressed, of the build that is there.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { gzipSync } from "node:zlib";
import { inRoot } from "./lib/paths.mjs";

const LIMIT_BYTES = 200_000;
const BUILD = process.env.CROSSWALK_NEXT_DIR ?? inRoot(".next");

/** @param {...string} segments */
const read = (...segments) => fs.readFileSync(path.join(BUILD, ...segments), "utf8");

/** Pages somebody at a practice sees: below `(staff)`, and the sign-in. Gives the name in the build and the path. */
function staffPages() {
  const routes = Object.entries(JSON.parse(read("app-path-routes-manifest.json")));
  return routes.filter(([name]) => /^\/\(staff\)\/(.*\/)?page$/.test(name) || name === "/sign-in/page").sort();
}

/**
 * The files a page's HTML refers to: React and Next, and what the client components of the page and of the layouts and
 * boundaries around it are made of. What `next/dynamic` fetches later is not among them.
 *
 * @param {string} name
 */
function filesOf(name) {
  const manifest = clientManifest(name);
  const { rootMainFiles } = JSON.parse(read("build-manifest.json"));
  return [...new Set([...rootMainFiles, ...Object.values(manifest.entryJSFiles).flat()])];
}

/** Next writes it as a script that sets a global. @param {string} name */
function clientManifest(name) {
  /** @type {{ globalThis?: object, __RSC_MANIFEST?: Record<string, { entryJSFiles: Record<string, string[]> }> }} */
  const sandbox = {};
  sandbox.globalThis = sandbox;
  vm.runInNewContext(read("server/app", `${name}_client-reference-manifest.js`), sandbox);
  const manifest = sandbox.__RSC_MANIFEST?.[name];
  if (!manifest) throw new Error(`the build says nothing of ${name}`);
  return manifest;
}

const sizes = new Map();
/** @param {string} file */
function compressedSize(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(fs.readFileSync(path.join(BUILD, file)), { level: 9 }).length);
  return sizes.get(file);
}

function main() {
  if (process.argv.length > 2) return fail(2, "staff:sizes takes no arguments");
  if (!fs.existsSync(path.join(BUILD, "BUILD_ID"))) return fail(2, "There is no build: npm run build");
  const pages = staffPages().map(([name, route]) => {
    const bytes = filesOf(name).reduce((sum, file) => sum + compressedSize(file), 0);
    return { route, bytes };
  });
  const width = Math.max(...pages.map(({ route }) => route.length));
  for (const { route, bytes } of pages) {
    const over = bytes > LIMIT_BYTES ? `  over ${LIMIT_BYTES / 1000} kB` : "";
    process.stdout.write(`${route.padEnd(width)}  ${(bytes / 1000).toFixed(1).padStart(6)} kB${over}\n`);
  }
  if (pages.length === 0) return fail(2, "The build has no page of the staff side.");
  if (pages.some(({ bytes }) => bytes > LIMIT_BYTES)) process.exitCode = 1;
}

/** @param {number} code @param {string} message */
function fail(code, message) {
  console.error(`✗ ${message}`);
  process.exitCode = code;
}

main();
