// A reporter of Vitest that stores in VITEST_ERRORS_FILE what its JSON report lacks: the errors of hooks, and those outside of tests.
import fs from "node:fs";
import path from "node:path";

export default class ErrorsReporter {
  /** @type {{ during: string, message: string }[]} */
  #stored = [];

  /** @param {import("vitest/node").TestSuite} suite */
  onTestSuiteResult(suite) {
    this.#store(`${suite.module.relativeModuleId}: ${suite.fullName}`, suite.errors());
  }

  /** @param {import("vitest/node").TestModule} module */
  onTestModuleEnd(module) {
    this.#store(module.relativeModuleId, module.errors());
  }

  /** @param {readonly { stack?: string, message?: string, VITEST_TEST_PATH?: string, VITEST_TEST_NAME?: string }[]} errors */
  onTestRunEnd(_modules, errors) {
    for (const error of errors) {
      const { VITEST_TEST_PATH: file = "", VITEST_TEST_NAME: test = "" } = error;
      this.#store(`Vitest: an error outside of tests, during ${path.relative(".", file)} ${test}`, [error]);
    }
    fs.mkdirSync(path.dirname(process.env.VITEST_ERRORS_FILE), { recursive: true });
    fs.writeFileSync(process.env.VITEST_ERRORS_FILE, JSON.stringify(this.#stored));
  }

  #store(during, errors) {
    for (const { stack, message } of errors) this.#stored.push({ during, message: stack ?? message });
  }
}
