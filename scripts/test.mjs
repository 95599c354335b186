// npm test: every check and every test, from a fresh checkout on. The last line reads "N passed, N failed".
// npm test -- PATTERN runs only the test files that match, those in a browser too, without checks and build.
import "./lib/require-node.mjs";
import fs from "node:fs";
import path from "node:path";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { Failure, say, step } from "./lib/progress.mjs";

/** The documents for textlint. cspell.json lists its own. */
const DOCUMENTS = ["*.md", "bench/*.md", "docs/**/*.md"];

const patterns = process.argv.slice(2);
const total = { passed: 0, failed: 0 };
let hasBrowser = false;

await main(async () => {
  process.chdir(ROOT);
  await install();
  const { build, generate, generateNextTypes } = await import("./lib/build-steps.mjs");
  await generate();
  const inBrowser = matching("tests/ui", ".spec.ts");
  const others = matching("tests", ".test.ts");
  const prepared = Promise.all([
    others.some(imports("support/object-store")) ? prepareObjectStore() : "",
    others.some(imports("support/guides")) ? prepareGuides() : "",
    inBrowser.length > 0 ? prepareBrowser() : "",
  ]);
  if (patterns.length === 0) {
    await Promise.all([
      check("Types", async () => {
        await generateNextTypes();
        return tool("typescript-7/bin/tsc", "--noEmit");
      }),
      check("Style", () => tool("@biomejs/biome/bin/biome", "check", ".")),
      check("Prose", () => tool("textlint/bin/textlint.js", ...DOCUMENTS)),
      check("Spelling", () => tool("cspell/bin.mjs", "lint", "--no-progress", "--no-summary")),
      check("Imports", () =>
        tool("dependency-cruiser/bin/dependency-cruise.mjs", "app", "components", "lib", "scripts"),
      ),
      check("Migrations agree with prisma/schema", compareMigrations),
    ]);
    // Tests start the real server, which has to be there.
    await check("Build", async () => {
      await build();
      return "";
    });
  }
  for (const lack of (await prepared).filter(Boolean)) say(lack);
  // Without a matching file, Vitest says so.
  if (others.length > 0 || inBrowser.length === 0) await runVitest();
  if (hasBrowser) await runPlaywright(inBrowser);
  say(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
});

/** Whether a test file imports a module of tests/support. */
function imports(module) {
  return (file) => fs.readFileSync(inRoot(file), "utf8").includes(`/${module}"`);
}

/** The tests of card images in S3 want a real server. @returns what is skipped where none can be had */
async function prepareObjectStore() {
  if (process.env.TEST_S3_ENDPOINT) return "";
  const { prepareSwift } = await import("../tests/support/swift.mjs");
  const lack = await prepareSwift();
  return lack
    ? `! The tests of card images in S3 are skipped: ${lack}. TEST_S3_ENDPOINT can name a store of yours.`
    : "";
}

/** The tests of docs/guides/ run curl and a Python with cryptography. @returns what is skipped where they can't be had */
async function prepareGuides() {
  const { prepareGuideTools } = await import("../tests/support/guide-tools.mjs");
  const lack = await prepareGuideTools();
  return lack ? `! Some tests of the guides in docs/guides/ are skipped: ${lack}.` : "";
}

/** @returns what is skipped where no Chromium can be had */
async function prepareBrowser() {
  const { prepareChromium } = await import("../tests/support/chromium.mjs");
  const lack = await prepareChromium();
  hasBrowser = !lack;
  return lack ? `! The tests in a browser are skipped: ${lack}. CHROMIUM_PATH can name one of yours.` : "";
}

/** Test files below a folder that the patterns match; all of them without patterns. */
function matching(folder, ending) {
  const files = fs.readdirSync(inRoot(folder), { recursive: true, encoding: "utf8" });
  return files
    .map((file) => `${folder}/${file.split(path.sep).join("/")}`)
    .filter((file) => file.endsWith(ending))
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)));
}

/** One check counts as one test: it passes where it has nothing to complain about. */
async function check(title, findComplaints) {
  try {
    await step(title, async () => {
      const complaints = await findComplaints();
      if (complaints) throw new Failure(complaints);
    });
    total.passed++;
  } catch (error) {
    say(error instanceof Failure ? error.message : error.stack);
    total.failed++;
  }
}

/** Runs a program of a package; gives its output where it fails. */
async function tool(file, ...args) {
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

/** Counts what vitest reports; a file that does not even load counts as one failure. */
async function runVitest() {
  const report = inRoot("test-results", `vitest-${process.pid}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = inRoot("node_modules/vitest/vitest.mjs");
  const { code } = await run(process.execPath, [vitest, "run", ...reporters, ...patterns]);
  const failedBefore = total.failed;
  if (fs.existsSync(report)) {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(fs.readFileSync(report, "utf8"));
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && assertionResults.every((test) => test.status !== "failed"),
    );
    total.passed += numPassedTests;
    total.failed += numFailedTests + broken.length;
    fs.rmSync(report);
  }
  // Vitest also fails on what no test caught: that must not be lost.
  if (code !== 0 && total.failed === failedBefore) total.failed++;
}

/** The tests in a browser, at the built server. */
async function runPlaywright(files) {
  const report = inRoot("test-results", `playwright-${process.pid}.json`);
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const playwright = inRoot("node_modules/@playwright/test/cli.js");
  const { code } = await run(process.execPath, [playwright, "test", "--reporter=list,json", ...files], { env });
  const failedBefore = total.failed;
  if (fs.existsSync(report)) {
    const { stats, errors } = JSON.parse(fs.readFileSync(report, "utf8"));
    total.passed += stats.expected + stats.flaky;
    total.failed += stats.unexpected + errors.length;
    fs.rmSync(report);
  }
  // A suite that did not even start is a failure too.
  if (code !== 0 && total.failed === failedBefore) total.failed++;
}
