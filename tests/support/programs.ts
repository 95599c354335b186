// Our programs as tests start them: bundled once a run, for most of what a short one does is to load its sources.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "@/scripts/lib/build-steps.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";

/** As deep in the project as scripts/lib: what lies beside a program is found from there. */
const FOLDER = "build/tests";
/** It is built with the project, and looks for what lies beside it. */
const BUILT = "server.ts";

/** Packages in CommonJS call it, which a module doesn't have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** They read files beside their own, or few programs load them. */
const LEFT_OUT = ["fontkit", "pdfkit", "sharp", "openapi-typescript", "@aws-sdk/client-s3", "pg-native"];

/** Bundles every program of scripts/, with the packages that it loads whenever it starts. */
export async function bundlePrograms(): Promise<void> {
  fs.rmSync(inRoot(FOLDER), { recursive: true, force: true });
  const programs = fs.readdirSync(inRoot("scripts")).filter((file) => file.endsWith(".ts") && file !== BUILT);
  await build({
    ...bundleOptions,
    ...{ packages: "bundle", external: LEFT_OUT, banner: { js: REQUIRE } },
    entryPoints: programs.map((file) => `scripts/${file}`),
    ...{ outdir: FOLDER, outExtension: { ".js": ".mjs" }, splitting: true, logLevel: "error" },
  });
}

/** The bundle of a program: `import.ts`. */
export function programOf(file: string): string {
  return path.join(FOLDER, file.replace(/\.ts$/, ".mjs"));
}
