// The programs of scripts/, and those of tests, as tests start them: bundled, because a short program spends most of its time loading
// sources.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "@/scripts/lib/build-steps.mjs";
import { withLock } from "@/scripts/lib/lock.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { onceFor } from "@/scripts/lib/stamp.mjs";

/** At the same depth as scripts/lib, so that programs find the files beside them. */
const FOLDER = "build/tests";
/** In the project's build folder, because it looks for the files beside it. */
const BUILT = "server.ts";

/** CommonJS packages call `require`, which a module does not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** Programs that only tests start. */
const OWN = ["tests/support/log-process.ts"];

/** Packages that read files beside their own, or that few programs load. */
const LEFT_OUT = ["fontkit", "pdfmake", "sharp", "openapi-typescript", "@aws-sdk/client-s3", "pg-native"];

/**
 * Bundles every program with the packages that it loads at start, unless the same sources are already
 * bundled.
 */
export async function bundlePrograms(): Promise<void> {
  await withLock(inRoot("build/tests.lock"), () =>
    onceFor({
      stamp: "build/tests.stamp",
      inputs: ["app/api", "lib", "generated", "prisma/seed", "scripts", ...OWN, "package-lock.json"],
      results: [FOLDER],
      work: bundle,
    }),
  );
}

async function bundle(): Promise<void> {
  fs.rmSync(inRoot(FOLDER), { recursive: true, force: true });
  const programs = fs.readdirSync(inRoot("scripts")).filter((file) => file.endsWith(".ts") && file !== BUILT);
  const files = [...programs.map((file) => `scripts/${file}`), ...OWN];
  await build({
    ...bundleOptions,
    packages: "bundle",
    external: LEFT_OUT,
    banner: { js: REQUIRE },
    entryPoints: Object.fromEntries(files.map((file) => [path.basename(file, ".ts"), file])),
    outdir: FOLDER,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    // A tenth less time to load; the maps have the original lines.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "error",
  });
}

/** Returns the bundle of a program such as `load.ts`. */
export function programOf(file: string): string {
  return path.join(FOLDER, file.replace(/\.ts$/, ".mjs"));
}
