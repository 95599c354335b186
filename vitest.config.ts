import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Killed and restarted processes take longest, mostly waiting: begun first, they do not wait alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes("/tests/faults/");
    const others = await super.sort(files.filter((file) => !isLong(file)));
    return [...files.filter(isLong), ...others];
  }
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    setupFiles: ["tests/support/setup.ts"],
    // A process of its own for each file: settings, pool and clock are the process's.
    pool: "forks",
    // One more than the smallest machine has cores: tests of killed and restarted processes mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Each process loads most of the server: what one has transformed, the next ones read.
    experimental: { fsModuleCache: true },
  },
});
