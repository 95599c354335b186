// Programs that we start get what they need of the environment, and never the installation's secrets.
import { afterEach, beforeEach, expect, test } from "vitest";
import { settingsSchema } from "@/lib/platform/config";
import { systemEnvironment, toolEnvironment } from "@/scripts/lib/environment.mjs";
import { runAs } from "@/scripts/lib/postgres-binaries.mjs";
import { buildEnvironment } from "@/scripts/lib/settings.mjs";

const MARK = "a secret of this installation";
/** Our settings, and other variables that a machine's environment may contain. */
const SECRETS = [
  ...Object.keys(settingsSchema.shape),
  "NEXTAUTH_SECRET",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "PGPASSWORD",
  "PGHOST",
  "PGOPTIONS",
  "GITHUB_TOKEN",
];
const before = { ...process.env };

beforeEach(() => {
  for (const name of SECRETS) process.env[name] = MARK;
});
afterEach(() => {
  for (const name of SECRETS) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

test.each([
  ["the database's programs", systemEnvironment],
  ["npm", toolEnvironment],
  ["a build", buildEnvironment],
])("%s can't see the settings", (_, environment) => {
  const given: Record<string, string | undefined> = environment();
  expect(Object.entries(given).filter(([, value]) => value === MARK)).toEqual([]);
  expect(given.PATH).toBe(process.env.PATH);
});

test("the bundled database starts with only the system's variables and a locale", () => {
  const { status, output } = runAs({ prefix: [] }, ["env"]);
  expect(status).toBe(0);
  const names = output
    .trim()
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "LC_ALL"]));
  expect(output).not.toContain(MARK);
});
