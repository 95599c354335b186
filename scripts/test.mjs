// npm test: runs every check and every test, also in a fresh checkout. Failures are listed at the end; the last line reads "N passed, N failed".
// npm test -- PATTERN runs only the test files that match, including browser tests, without checks and build.
import "./lib/require-node.mjs";
import fs from "node:fs";
import path from "node:path";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { Failure, say, step } from "./lib/progress.mjs";

/** The documents for textlint. cspell.json lists its own. */
const DOCUMENTS = ["*.md", "bench/*.md", "deploy/*.md", "docs/**/*.md"];

const patterns = process.argv.slice(2);
const total = { passed: 0, failed: 0 };
/** Failures to list at the end, where they are easy to find. */
const failures = [];
let hasBrowser = false;
/** Programs besides Chromium, each fetched if a test file imports one of the modules. */
const PROGRAMS = [
  {
    modules: ["support/object-store", "lib/cluster/swift.mjs"],
    fetch: async () => (process.env.TEST_S3_ENDPOINT ? null : (await import("./lib/cluster/swift.mjs")).prepareSwift()),
    skipped: "The tests of card images in S3",
    hint: " Set TEST_S3_ENDPOINT to use your own store.",
  },
  {
    modules: ["support/guides"],
    fetch: async () => (await import("../tests/support/guide-tools.mjs")).prepareGuideTools(),
    skipped: "Some tests of docs/guides/",
  },
  {
    modules: ["support/pgbouncer.mjs"],
    fetch: async () => (await import("../tests/support/pgbouncer.mjs")).preparePgBouncer(),
    skipped: "The tests of PgBouncer",
  },
  {
    modules: ["support/haproxy.mjs"],
    fetch: async () => (await import("../tests/support/haproxy.mjs")).prepareHaproxy(),
    skipped: "The tests of several servers behind HAProxy",
    hint: " Install HAProxy to run them.",
  },
  {
    modules: ["support/prometheus.mjs"],
    fetch: async () => (await import("../tests/support/prometheus.mjs")).preparePrometheus(),
    skipped: "Some tests of alerts",
  },
  {
    modules: ["support/redis.mjs"],
    fetch: async () => (await import("../tests/support/redis.mjs")).prepareRedis(),
    skipped: "The tests of shared limits",
    hint: " Install Redis or Valkey to run them.",
  },
  {
    modules: ["lib/cluster/programs.mjs"],
    fetch: async () => (await import("./lib/cluster/programs.mjs")).prepareClusterPrograms(),
    skipped: "The restore drill and the tests of a cluster",
  },
  {
    modules: ["support/faults/names.mjs"],
    fetch: async () => (await import("../tests/support/faults/faketime.mjs")).prepareFaketime(),
    skipped: "The tests of wrong clocks",
  },
];

await main(async () => {
  process.chdir(ROOT);
  const browserTests = findTestFiles("tests/ui", ".spec.ts");
  const others = findTestFiles("tests", ".test.ts");
  // Needs no npm packages, and mostly waits for downloads.
  const prepared = Promise.all([
    ...PROGRAMS.filter(({ modules }) => others.some(importsOneOf(modules))).map(prepare),
    browserTests.length > 0 ? prepareBrowser() : "",
  ]);
  await install();
  const { build, generate, generateNextTypes } = await import("./lib/build-steps.mjs");
  await generate();
  if (patterns.length === 0) {
    await Promise.all([
      // The build replaces the types of Next.js, so it waits for the type check, but not for the other checks.
      check("Types", async () => {
        await generateNextTypes();
        return runTool("typescript-7/bin/tsc", "--noEmit");
      }).then(() =>
        // Tests start the built server.
        check("Build", async () => {
          await build();
          return "";
        }),
      ),
      check("Style", () => runTool("@biomejs/biome/bin/biome", "check", ".")),
      check("Prose", () => runTool("textlint/bin/textlint.js", ...DOCUMENTS)),
      check("Spelling", () => runTool("cspell/bin.mjs", "lint", "--no-progress", "--no-summary")),
      check("Imports", () =>
        runTool("dependency-cruiser/bin/dependency-cruise.mjs", "app", "components", "lib", "scripts"),
      ),
      check("Migrations agree with prisma/schema", compareMigrations),
    ]);
  }
  for (const warning of (await prepared).filter(Boolean)) say(warning);
  // If no file matches, Vitest reports that.
  if (others.length > 0 || browserTests.length === 0) await runVitest();
  if (hasBrowser) await runPlaywright(browserTests);
  for (const failure of failures) say(`\nFAILED ${failure}`);
  say(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
});

/** Returns a function that checks whether a test file imports one of the modules. */
function importsOneOf(modules) {
  return (file) => {
    const text = fs.readFileSync(inRoot(file), "utf8");
    return modules.some((module) => text.includes(`/${module}"`));
  };
}

/** Fetches a program for tests. Returns a warning if it is not available. */
async function prepare({ fetch, skipped, hint = "" }) {
  const problem = await fetch();
  return problem ? `! ${skipped} are skipped: ${problem}.${hint}` : "";
}

/** Fetches Chromium for the browser tests. Returns a warning if it is not available. */
async function prepareBrowser() {
  const { prepareChromium } = await import("../tests/support/chromium.mjs");
  const hint = " Set CHROMIUM_PATH to use your own browser.";
  const warning = await prepare({ fetch: prepareChromium, skipped: "The browser tests", hint });
  hasBrowser = warning === "";
  return warning;
}

/** Lists the test files below a folder that match the patterns, or all of them without patterns. */
function findTestFiles(folder, ending) {
  const files = fs.readdirSync(inRoot(folder), { recursive: true, encoding: "utf8" });
  return files
    .map((file) => `${folder}/${file.split(path.sep).join("/")}`)
    .filter((file) => file.endsWith(ending))
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)));
}

/** Runs a check, which counts as one test. It passes if it finds no problems. */
async function check(title, findProblems) {
  try {
    await step(title, async () => {
      const problems = await findProblems();
      if (problems) throw new Failure(problems);
    });
    total.passed++;
  } catch (error) {
    const message = error instanceof Failure ? error.message : error.stack;
    say(message);
    fail(title, message);
  }
}

/** Counts a failure, and keeps its name and the start of its message for the list at the end. */
function fail(name, message = "") {
  total.failed++;
  failures.push([name, ...message.split("\n").slice(0, 20)].join("\n  "));
}

/** Runs a program of a package. Returns its output if it fails. */
async function runTool(file, ...args) {
  const { code, output } = await run(process.execPath, [inRoot("node_modules", file), ...args], { output: "keep" });
  return code === 0 ? "" : `${output.trim()}\n(exit code ${code})`;
}

async function compareMigrations() {
  const { startPostgres } = await import("./lib/postgres.mjs");
  const { diffMigrations } = await import("./lib/schema-engine.mjs");
  const { testCluster } = await import("../tests/support/cluster.mjs");
  const url = process.env.TEST_DATABASE_URL ?? (await startPostgres(testCluster)).url;
  return diffMigrations(url);
}

/** Runs Vitest and counts its results. A file that does not load counts as one failure, and so does a hook that fails. */
async function runVitest() {
  const report = inRoot("test-results", `vitest-${process.pid}.json`);
  const errors = inRoot("test-results", `errors-${process.pid}.json`);
  const reporters = ["default", "json", "./tests/support/errors-reporter.mjs"].map((name) => `--reporter=${name}`);
  const vitest = [inRoot("node_modules/vitest/vitest.mjs"), "run", ...reporters, `--outputFile.json=${report}`];
  const env = { ...process.env, VITEST_ERRORS_FILE: errors };
  const { code } = await run(process.execPath, [...vitest, ...patterns], { env });
  const failedBefore = total.failed;
  if (fs.existsSync(report)) {
    const { numPassedTests, testResults } = JSON.parse(fs.readFileSync(report, "utf8"));
    total.passed += numPassedTests;
    for (const { name, assertionResults } of testResults) {
      const failed = assertionResults.filter((test) => test.status === "failed");
      for (const test of failed)
        fail(`${path.relative(ROOT, name)}: ${test.fullName}`, test.failureMessages.join("\n"));
    }
    fs.rmSync(report);
  }
  if (fs.existsSync(errors)) {
    for (const { during, message } of JSON.parse(fs.readFileSync(errors, "utf8"))) fail(during, message);
    fs.rmSync(errors);
  }
  if (code !== 0 && total.failed === failedBefore) fail("Vitest, see above");
}

/** Runs the browser tests against the built server, and counts their results. */
async function runPlaywright(files) {
  const report = inRoot("test-results", `playwright-${process.pid}.json`);
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const playwright = inRoot("node_modules/@playwright/test/cli.js");
  const { code } = await run(process.execPath, [playwright, "test", "--reporter=list,json", ...files], { env });
  const failedBefore = total.failed;
  if (fs.existsSync(report)) {
    const { stats, suites, errors } = JSON.parse(fs.readFileSync(report, "utf8"));
    total.passed += stats.expected + stats.flaky;
    for (const { file, title, tests } of suites.flatMap(specsOf)) {
      const failed = tests.filter(({ status }) => status === "unexpected");
      for (const { results } of failed) fail(`${file}: ${title}`, results.at(-1)?.error?.message);
    }
    for (const { message } of errors) fail("Playwright", message);
    fs.rmSync(report);
  }
  if (code !== 0 && total.failed === failedBefore) fail("Playwright: the browser tests did not run to the end");
}

/** Lists the tests of a suite of Playwright's report, including those of suites within it. */
function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}
