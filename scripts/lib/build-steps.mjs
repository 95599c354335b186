// What stands between the sources and a server that runs: each step is skipped while its inputs are the same.
import fs from "node:fs";
import { runQuietly } from "./lifetime.mjs";
import { withLock } from "./lock.mjs";
import { inRoot, ROOT } from "./paths.mjs";
import { step } from "./progress.mjs";
import { writeRouteTable } from "./route-table.mjs";
import { buildEnvironment } from "./settings.mjs";
import { onceFor } from "./stamp.mjs";

const PRISMA = "node_modules/prisma/build/index.js";
const NEXT = "node_modules/next/dist/bin/next";
/** Programs of ours that run built: whichever of them are there. */
const PROGRAMS = ["server", "worker", "seed-demo", "read-export", "render-ccda", "render-pdf"].map(
  (name) => `scripts/${name}.ts`,
);
const FOLDERS = ["app", "components", "lib", "public", "generated", "prisma/seed"];
const SOURCES = [...FOLDERS, ...PROGRAMS, "next.config.mjs", "postcss.config.mjs", "package-lock.json"];

/**
 * The options a bundle of our TypeScript for Node is made with.
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
  absWorkingDir: ROOT,
};

const node = (what, file, ...args) =>
  runQuietly(what, process.execPath, [inRoot(file), ...args], { cwd: ROOT, env: buildEnvironment() });

/** Generates what the type checker and every run from the sources need: Prisma's client, row types and the table of API routes. */
export async function generate() {
  await withLock(inRoot("build/generate.lock"), async () => {
    await onceFor({
      stamp: "generated/prisma.stamp",
      inputs: ["prisma/schema", "prisma.config.ts", "package-lock.json"],
      results: ["generated/prisma/client.ts", "generated/rows/tables.ts"],
      work: () =>
        step("Generating the database client and row types", () => node("prisma generate", PRISMA, "generate")),
    });
    writeRouteTable();
    copyViewer();
  });
}

/** The viewer of the API's description, as its package ships it: a file of its own, which the reference alone loads. */
function copyViewer() {
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
    const from = inRoot("node_modules/swagger-ui-dist", name);
    const to = inRoot("public/viewer", name);
    if (fs.existsSync(to) && fs.statSync(to).size === fs.statSync(from).size) continue;
    fs.mkdirSync(inRoot("public/viewer"), { recursive: true });
    fs.copyFileSync(from, to);
  }
}

/** Types of Next's own (next-env.d.ts, typed routes), for the type checker alone. */
export const generateNextTypes = () => node("next typegen", NEXT, "typegen");

/** Builds the pages and the bundles of our programs. */
export async function build() {
  await generate();
  await withLock(inRoot("build/build.lock"), () =>
    onceFor({
      stamp: "build/build.stamp",
      inputs: SOURCES,
      results: ["build/server.mjs", ".next/BUILD_ID"],
      work: async () => {
        await step("Building the pages", () => node("next build", NEXT, "build"));
        await step("Bundling the server", bundlePrograms);
      },
    }),
  );
}

/** One bundle in parts: programs loaded into one process share one instance of every module. */
async function bundlePrograms() {
  const { build: esbuild } = await import("esbuild");
  for (const name of fs.readdirSync(inRoot("build"))) if (/\.mjs(\.map)?$/.test(name)) fs.rmSync(inRoot("build", name));
  const entryPoints = PROGRAMS.filter((file) => fs.existsSync(inRoot(file)));
  const names = { outdir: "build", outExtension: { ".js": ".mjs" }, chunkNames: "part-[hash]" };
  await esbuild({ ...bundleOptions, ...names, entryPoints, splitting: true, logLevel: "error" });
}
