// A reporter of Vitest that stores the errors outside of tests in VITEST_ERRORS_FILE, because Vitest's JSON report lacks them.
import fs from "node:fs";
import path from "node:path";

export default class ErrorsReporter {
  /** @param {readonly { stack?: string, message?: string, VITEST_TEST_PATH?: string, VITEST_TEST_NAME?: string }[]} errors */
  onTestRunEnd(_modules, errors) {
    const stored = errors.map(({ stack, message, VITEST_TEST_PATH: file = "", VITEST_TEST_NAME: test = "" }) => ({
      during: `${path.relative(".", file)} ${test}`,
      message: stack ?? message,
    }));
    fs.mkdirSync(path.dirname(process.env.VITEST_ERRORS_FILE), { recursive: true });
    fs.writeFileSync(process.env.VITEST_ERRORS_FILE, JSON.stringify(stored));
  }
}
