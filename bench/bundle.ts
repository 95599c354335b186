import path from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "@/scripts/lib/build-steps.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";

/** At the same depth as scripts/lib, so that programs find the files of the project. */
const OUTPUT = inRoot("build/bench");

/** Returns the bundle of a program such as `bench/load.ts`. */
export function bundleOf(file: string): string {
  return path.join(OUTPUT, `${path.basename(file, ".ts")}.mjs`);
}

/**
 * Bundles programs like the product, because sources run more slowly: `tsx` names each function when it is created.
 *
 * @param files paths in the project
 */
export async function bundleBench(files: readonly string[]): Promise<void> {
  await build({
    ...bundleOptions,
    entryPoints: [...files],
    entryNames: "[name]",
    outdir: OUTPUT,
    outExtension: { ".js": ".mjs" },
    logLevel: "error",
  });
}
