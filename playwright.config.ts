// The tests in a browser (tests/ui): the built server with its demo, and a real Chromium. `npm test` runs them.
import { defineConfig } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "./tests/support/chromium.mjs";

// Looked for once: each worker loads this file again.
process.env.CHROMIUM_PATH ||= findChromium() ?? "";

// A server that UI_BASE names may be `next dev`, which makes a page when it is first asked for.
process.env.UI_PATIENCE ||= process.env.UI_BASE ? "6" : "1";
const patience = Number(process.env.UI_PATIENCE);

export default defineConfig({
  testDir: "tests/ui",
  outputDir: "test-results/ui",
  globalSetup: "./tests/ui/support/global-setup.ts",
  workers: 2,
  fullyParallel: false,
  timeout: patience * 60_000,
  expect: { timeout: patience * 10_000 },
  reporter: "list",
  use: {
    locale: "en-US",
    timezoneId: "America/New_York",
    // Recording takes about as long as what is recorded: who looks for a failure asks for it.
    trace: process.env.UI_TRACE ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: CHROMIUM_ARGS },
  },
});
