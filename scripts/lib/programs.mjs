// The programs of scripts/ as bundles with their packages: run from the sources, a short command would spend most of its time loading them.
import fs from "node:fs";
import path from "node:path";
import { bundleOptions, generate } from "./build-steps.mjs";
import { inRoot, isRelease } from "./paths.mjs";
import { UsageFailure } from "./progress.mjs";
import { isDone, onceFor } from "./stamp.mjs";

/** At the same depth as scripts/lib, so that programs find the files beside them. */
export const PROGRAMS = "build/programs";
/** Bundled by the build, beside the files that it looks for. */
const BUILT = "server.ts";
/** Packages that read files beside their own, or that few programs load. */
const LEFT_OUT = [
  "fontkit",
  "pdfmake",
  "sharp",
  "openapi-typescript",
  "openapi-to-postmanv2",
  "@aws-sdk/client-s3",
  "@opentelemetry/sdk-node",
  "pg-native",
];
/** How long files of an earlier bundle are kept. */
const KEPT_DAYS = 30;
/** CommonJS packages call `require`, which a module does not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/**
 * The esbuild options of a program with its packages.
 *
 * @type {import("esbuild").BuildOptions}
 */
export const programOptions = {
  ...bundleOptions,
  packages: "bundle",
  external: LEFT_OUT,
  banner: { js: REQUIRE },
  outExtension: { ".js": ".mjs" },
  splitting: true,
  // A tenth less time to load; the maps have the original lines.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "error",
};

/** Returns the bundle of a program such as `scripts/load.ts` or `load.ts`, as a path relative to the project. */
export function programOf(file) {
  return path.posix.join(PROGRAMS, path.basename(file).replace(/\.ts$/, ".mjs"));
}

const JOB = {
  stamp: "build/programs.stamp",
  inputs: ["app/api", "lib", "generated", "prisma/seed", "scripts", "tsconfig.json", "package-lock.json"],
  results: [PROGRAMS],
  work: bundle,
};

/**
 * Generates and bundles what a TypeScript program needs, unless that is up to date. Returns the arguments of Node.js that run it: the bundle
 * of a program of scripts/, and the source of any other. In a project that can't be written, such as another user's checkout, an outdated
 * bundle can't be replaced, so the source runs.
 */
export async function nodeArguments(file) {
  const bundled = ["--enable-source-maps", inRoot(programOf(file))];
  if (isRelease() && fs.existsSync(inRoot(programOf(file)))) return bundled;
  if (!fs.existsSync(inRoot(file))) throw new UsageFailure(`${file} does not exist`);
  const source = ["--import", import.meta.resolve("tsx"), inRoot(file)];
  const hasBundle = path.dirname(file) === "scripts";
  if (!canWrite()) return hasBundle && isDone(JOB) ? bundled : source;
  await generate();
  if (!hasBundle) return source;
  await bundlePrograms();
  return bundled;
}

/** Returns whether bundles can be written. The first command of a checkout creates their folder. */
function canWrite() {
  const folder = fs.existsSync(inRoot("build")) ? inRoot("build") : inRoot();
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Bundles every program, unless the same sources are already bundled. */
export async function bundlePrograms() {
  await onceFor(JOB);
}

async function bundle() {
  const { build } = await import("esbuild");
  removeOldFiles(inRoot(PROGRAMS));
  const files = fs.readdirSync(inRoot("scripts")).filter((file) => file.endsWith(".ts") && file !== BUILT);
  await build({ ...programOptions, entryPoints: files.map((file) => `scripts/${file}`), outdir: PROGRAMS });
}

/** Keeps the files of recent bundles: a worker that still runs from one loads some of them only when it needs them. */
function removeOldFiles(folder) {
  if (!fs.existsSync(folder)) return;
  const oldest = Date.now() - KEPT_DAYS * 24 * 60 * 60 * 1000;
  for (const file of fs.readdirSync(folder).map((name) => path.join(folder, name)))
    if (fs.statSync(file).mtimeMs < oldest) fs.rmSync(file);
}
