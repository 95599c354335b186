// A later version of the server, which has one more migration.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { bundlePrograms } from "@/scripts/lib/build-steps.mjs";
import { readMigrations } from "@/scripts/lib/migration-files.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";

/** Test files that run at the same time each have their own. */
const FOLDER = `build/next-version-${process.pid}`;
/** Each table that a write to both stores uses. The migration changes them as much as the rules for migrations allow. */
export const NEXT_TABLES = [
  "policy",
  "policy_version",
  "patient",
  "patient_version",
  "patient_insurance",
  "replication_event",
];
export const NEXT_COLUMN = "of_the_next_version";
export const NEXT_MIGRATION = "29991231235959_next_version";
const SQL = NEXT_TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN ${NEXT_COLUMN} TEXT DEFAULT 'a';`).join("\n");
const MIGRATION = {
  name: NEXT_MIGRATION,
  sql: SQL,
  checksum: createHash("sha256").update(SQL).digest("hex"),
};

/** All migrations of the next version. */
export const nextMigrations = () => [...readMigrations(), MIGRATION];

/** Bundles the next version, and returns the path of its server. It has the pages of this version, which must be built. */
export async function bundleNextVersion(): Promise<string> {
  process.once("exit", () => fs.rmSync(inRoot(FOLDER), { recursive: true, force: true }));
  const names = nextMigrations().map(({ name }) => name);
  await bundlePrograms({
    outdir: `${FOLDER}/build`,
    plugins: [
      {
        name: "one more migration",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/generated\/migrations\.ts$/ }, () => ({
            contents: `export const migrations = ${JSON.stringify(names)};`,
            loader: "ts",
          })),
      },
    ],
  });
  for (const name of [".next", "next.config.mjs", "package.json", "public"]) {
    const link = inRoot(FOLDER, name);
    if (!fs.existsSync(link)) fs.symlinkSync(inRoot(name), link);
  }
  return `${FOLDER}/build/server.mjs`;
}
