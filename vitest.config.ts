import fs from "node:fs";
import path from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

type ProjectConfig = NonNullable<TestProjectInlineConfiguration["test"]>;

/** Killed and restarted processes take longest, mostly waiting: begun first, they do not wait alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId, project }: TestSpecification) =>
      moduleId.includes("/tests/faults/") ? 0 : project.name === "own process" ? 1 : 2;
    const sorted = await super.sort(files);
    return [0, 1, 2].flatMap((wanted) => sorted.filter((file) => turn(file) === wanted));
  }
}

const CHANGES_MODULES = /vi\.mock\(|"next\/experimental/;

/** Modules are the process's: a test file that mocks them, or kills processes, gets one to itself. */
const ownProcess = fs
  .readdirSync("tests", { recursive: true, encoding: "utf8" })
  .map((file) => `tests/${file.split(path.sep).join("/")}`)
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => file.startsWith("tests/faults/") || CHANGES_MODULES.test(fs.readFileSync(file, "utf8")));

const common: ProjectConfig = {
  setupFiles: ["tests/support/setup.ts"],
  pool: "forks",
  // For what hangs: how fast something is, no test says, and a busy machine takes many times as long.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
};

const resolve = { tsconfigPaths: true };
const project = (test: ProjectConfig) => ({ resolve, test: { ...common, ...test } });

export default defineConfig({
  resolve,
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    // One more than the smallest machine has cores: tests of killed and restarted processes mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Each process loads most of the server: what one has transformed, the next ones read.
    experimental: { fsModuleCache: true },
    projects: [
      project({ name: "own process", include: ownProcess }),
      // The others share processes, one file after the other: the server is loaded once in each.
      project({
        name: "shared",
        include: ["tests/**/*.test.ts"],
        exclude: [...configDefaults.exclude, ...ownProcess],
        isolate: false,
      }),
    ],
  },
});
