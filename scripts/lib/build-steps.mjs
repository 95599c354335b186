// The steps of a build. A step is skipped if its inputs have not changed.
import fs from "node:fs";
import { compressFiles } from "./compress.mjs";
import { runQuietly } from "./lifetime.mjs";
import { withLock } from "./lock.mjs";
import { inRoot, ROOT } from "./paths.mjs";
import { step } from "./progress.mjs";
import { writeRouteTable } from "./route-table.mjs";
import { buildEnvironment } from "./settings.mjs";
import { onceFor } from "./stamp.mjs";

const PRISMA = "node_modules/prisma/build/index.js";
const NEXT = "node_modules/next/dist/bin/next";
/** The programs that run from a bundle, if they exist. */
const PROGRAMS = ["server", "worker", "seed-demo", "read-export", "render-ccda", "render-pdf"].map(
  (name) => `scripts/${name}.ts`,
);
const FOLDERS = ["app", "components", "lib", "public", "generated", "prisma/seed"];
const FILES = [
  "proxy.tsx",
  "instrumentation.tsx",
  "instrumentation-client.ts",
  "next.config.mjs",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];
const SCHEMA = ["prisma/schema", "prisma.config.ts", "package-lock.json"];
const SOURCES = [...FOLDERS, ...PROGRAMS, ...FILES];

/** Folders and files that a build reads. They must be in the context of the image (`.dockerignore`). */
export const INPUTS = [...new Set([...SCHEMA, ...SOURCES])];

/**
 * The esbuild options of our bundles for Node.
 *
 * @type {import("esbuild").BuildOptions}
 */
export const bundleOptions = {
  bundle: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: true,
  // Stack traces only need positions, and Node.js reads the whole map at each start.
  sourcesContent: false,
  absWorkingDir: ROOT,
};

const node = (what, file, ...args) =>
  runQuietly(what, process.execPath, [inRoot(file), ...args], { cwd: ROOT, env: buildEnvironment() });

/** Generates what type checks and runs from the sources need: Prisma's client, row types and the table of API routes. */
export async function generate() {
  await withLock(inRoot("build/generate.lock"), async () => {
    await onceFor({
      stamp: "build/prisma.stamp",
      inputs: SCHEMA,
      results: ["generated/prisma/client.ts", "generated/rows/tables.ts"],
      work: () =>
        step("Generating the database client and row types", () => node("prisma generate", PRISMA, "generate")),
    });
    writeRouteTable();
    copyViewer();
  });
}

/** Copies the viewer of the OpenAPI document from its package. Only the API reference loads it. */
function copyViewer() {
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
    const from = inRoot("node_modules/swagger-ui-dist", name);
    const to = inRoot("public/viewer", name);
    if (fs.existsSync(to) && fs.statSync(to).size === fs.statSync(from).size) continue;
    fs.mkdirSync(inRoot("public/viewer"), { recursive: true });
    fs.copyFileSync(from, to);
  }
}

/** Generates Next's types (next-env.d.ts, typed routes) for the type checker. */
export const generateNextTypes = () => node("next typegen", NEXT, "typegen");

/** Builds the pages and the bundles. */
export async function build() {
  await generate();
  await onceFor({
    stamp: "build/build.stamp",
    inputs: SOURCES,
    results: ["build/server.mjs", ".next/BUILD_ID"],
    work: async () => {
      await step("Building the pages", () => node("next build", NEXT, "build"));
      await step("Compressing the files of the pages", () => compressFiles(inRoot(".next/static")));
      await step("Bundling the server", () => bundlePrograms());
    },
  });
}

/**
 * Builds bundles that share chunks, so that programs in the same process share module instances.
 *
 * @param {{ outdir?: string, plugins?: import("esbuild").Plugin[] }} [options]
 */
export async function bundlePrograms({ outdir = "build", plugins = [] } = {}) {
  const { build: esbuild } = await import("esbuild");
  fs.mkdirSync(inRoot(outdir), { recursive: true });
  for (const name of fs.readdirSync(inRoot(outdir))) if (/\.mjs(\.map)?$/.test(name)) fs.rmSync(inRoot(outdir, name));
  const entryPoints = PROGRAMS.filter((file) => fs.existsSync(inRoot(file)));
  const names = { outdir, outExtension: { ".js": ".mjs" }, chunkNames: "part-[hash]" };
  await esbuild({ ...bundleOptions, ...names, entryPoints, plugins, splitting: true, logLevel: "error" });
}
