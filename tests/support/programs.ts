// Programs that only tests start, bundled like those of scripts/.
import { build } from "esbuild";
import { withLock } from "@/scripts/lib/lock.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { bundlePrograms, programOptions } from "@/scripts/lib/programs.mjs";
import { onceFor } from "@/scripts/lib/stamp.mjs";

const LOG_PROCESS = "tests/support/log-process.ts";
const FOLDER = "build/tests";

/** The bundle of `log-process.ts`. */
export const logProcess = `${FOLDER}/log-process.mjs`;

/** Bundles all programs, unless the same sources are already bundled. */
export async function bundleAllPrograms(): Promise<void> {
  await bundlePrograms();
  await withLock(inRoot("build/tests.lock"), () =>
    onceFor({
      stamp: "build/tests.stamp",
      inputs: ["lib", LOG_PROCESS, "package-lock.json"],
      results: [FOLDER],
      work: () => build({ ...programOptions, entryPoints: [LOG_PROCESS], outdir: FOLDER }),
    }),
  );
}
