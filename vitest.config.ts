import fs from "node:fs";
import path from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

type ProjectConfig = NonNullable<TestProjectInlineConfiguration["test"]>;

/** Files that take long: those that mostly wait for processes, and those that call every operation or read the whole description. */
const LONG = [
  /\/tests\/(api\/both-servers|domain\/guides)\.|\/tests\/faults\/(cluster|lifecycle|migration-kill)\./,
  /\/tests\/faults\//,
  /\/tests\/api\/(operation-contract\/|fuzz\.|openapi-tools\.|postman\.)/,
];

/** Starts long files first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = LONG.findIndex((pattern) => pattern.test(moduleId));
      if (rank >= 0) return rank;
      return project.name === "own process" ? LONG.length : LONG.length + 1;
    };
    // Sorting is stable: files of one rank keep their order.
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}

const NEEDS_NEW_MODULES = /vi\.mock\(|"next\/experimental|pg_prepared_statements|startWorld\(/;

/** Test files that mock modules, count what one remembers or use an image store that ends, each of which gets its own process. */
const ownProcess = fs
  .readdirSync("tests", { recursive: true, encoding: "utf8" })
  .map((file) => `tests/${file.split(path.sep).join("/")}`)
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => NEEDS_NEW_MODULES.test(fs.readFileSync(file, "utf8")));

const common: ProjectConfig = {
  setupFiles: ["tests/support/setup.ts"],
  pool: "forks",
  // These only end tests that hang: no test measures speed, and a busy machine is many times slower.
  testTimeout: 300_000 * Number(process.env.TEST_ROUNDS ?? 1),
  hookTimeout: 600_000,
  expect: { poll: { timeout: 15_000 } },
};

const resolve = { tsconfigPaths: true };
const project = (test: ProjectConfig) => ({ resolve, test: { ...common, ...test } });

export default defineConfig({
  resolve,
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    // One more than the smallest machine has cores, because tests of killed processes mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Each process loads most of the server, and reads what another one has transformed.
    experimental: { fsModuleCache: true },
    projects: [
      project({ name: "own process", include: ownProcess }),
      // All other files share processes, so that each process loads the server once.
      project({
        name: "shared",
        include: ["tests/**/*.test.ts"],
        exclude: [...configDefaults.exclude, ...ownProcess],
        isolate: false,
      }),
    ],
  },
});
