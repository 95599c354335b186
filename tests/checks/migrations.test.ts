// Migrations leave the previous version working, which serves requests until an upgrade is complete.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { SESSION_SETTINGS } from "@/lib/platform/db/session-settings.mjs";
import { FUNCTION_GRANTS, TABLE_GRANTS } from "@/scripts/lib/grants.mjs";
import { readMigrations } from "@/scripts/lib/migration-files.mjs";
import { concurrentIndex } from "@/scripts/lib/migrations.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-migrations-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Returns the names of the rules that these files break. */
function lint(files: readonly string[], ...options: string[]): string[] {
  const args = ["--config", "prisma/squawk.toml", "--reporter", "json", ...options, ...files];
  const { stdout, stderr } = spawnSync("node_modules/.bin/squawk", args, { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout).map((problem: { rule_name: string }) => problem.rule_name);
}

test("no migration after the first changes or removes what the previous version uses, or locks a table for long", () => {
  const [, ...later] = readMigrations();
  expect(later.length).toBeGreaterThan(0);
  const filesOf = (migrations: typeof later) => migrations.map(({ name }) => `prisma/migrations/${name}/migration.sql`);
  const isAlone = (migration: (typeof later)[number]) => concurrentIndex(migration) !== null;
  expect(lint(filesOf(later.filter((migration) => !isAlone(migration))))).toEqual([]);
  expect(lint(filesOf(later.filter(isAlone)), "--no-assume-in-transaction")).toEqual([]);
});

test.each([
  ["DROP TABLE payer", "ban-drop-table"],
  ["ALTER TABLE policy DROP COLUMN carrier", "ban-drop-column"],
  ["ALTER TABLE policy RENAME COLUMN plan TO plan_name", "renaming-column"],
  ["ALTER TABLE policy RENAME TO policies", "renaming-table"],
  ["ALTER TABLE policy ALTER COLUMN copay TYPE integer", "changing-column-type"],
  ["ALTER TABLE policy ALTER COLUMN plan SET NOT NULL", "adding-not-nullable-field"],
  ["ALTER TABLE policy ADD COLUMN network text NOT NULL", "adding-required-field"],
  ["CREATE INDEX policy_plan ON policy (plan)", "require-concurrent-index-creation"],
  ["ALTER TABLE policy ADD CONSTRAINT named CHECK (plan <> '')", "constraint-missing-not-valid"],
])("%s is found", (sql, rule) => {
  const file = path.join(folder, "migration.sql");
  fs.writeFileSync(file, `${sql};\n`);
  expect(lint([file])).toContain(rule);
});

test("rights and session settings change only together with a migration", () => {
  // From a migration that it doesn't know, the previous version sees that it must leave both (ADR 0241). After a change, add a migration,
  // which may be empty, and enter its name and the new hash here.
  const known = { migration: "20261128120000_counted_events", hash: "68a15c49b7a4" };
  const state = JSON.stringify([TABLE_GRANTS, FUNCTION_GRANTS, SESSION_SETTINGS]);
  const hash = createHash("sha256").update(state).digest("hex").slice(0, 12);
  expect(readMigrations().map(({ name }) => name)).toContain(known.migration);
  expect(hash).toBe(known.hash);
});
