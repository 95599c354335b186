// A later version of the server, which has more migrations.
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
/** A table that only the next version knows, and to which triggers write: for requests and for housekeeping. */
export const ADDED_TABLE = "change_of_the_next_version";

const migration = (name: string, sql: string) => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
const COLUMNS = migration(
  NEXT_MIGRATION,
  NEXT_TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN ${NEXT_COLUMN} TEXT DEFAULT 'a';`).join("\n"),
);
const TABLE = migration(
  `${NEXT_MIGRATION}_table`,
  `CREATE TABLE ${ADDED_TABLE} (id BIGSERIAL PRIMARY KEY, changed TEXT NOT NULL);
   CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN INSERT INTO ${ADDED_TABLE} (changed) VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
   CREATE TRIGGER policy_note AFTER INSERT OR UPDATE ON policy FOR EACH ROW EXECUTE FUNCTION note_change();
   CREATE TRIGGER published_event_note AFTER DELETE ON published_event FOR EACH ROW EXECUTE FUNCTION note_change();`,
);

/** The migrations of a next version that only adds columns, which needs no further rights. */
export const nextMigrations = () => [...readMigrations(), COLUMNS];

/** Bundles that version, and returns the path of its server. It has the pages of this version, which must be built. */
export function bundleNextVersion(): Promise<string> {
  return bundle(nextMigrations());
}

/**
 * Installs a next version that also adds a table.
 *
 * @returns the paths of its programs. `migrate` is its `scripts/migrate.mjs`, which grants the rights
 */
export async function installNextVersion(): Promise<{ server: string; worker: string; migrate: string }> {
  const server = await bundle([...nextMigrations(), TABLE]);
  for (const name of ["scripts", "prisma/migrations"])
    fs.cpSync(inRoot(name), inRoot(FOLDER, name), { recursive: true });
  for (const { name, sql } of [COLUMNS, TABLE]) {
    fs.mkdirSync(inRoot(FOLDER, "prisma/migrations", name), { recursive: true });
    fs.writeFileSync(inRoot(FOLDER, "prisma/migrations", name, "migration.sql"), sql);
  }
  const grants = inRoot(FOLDER, "scripts/lib/grants.mjs");
  const start = "export const TABLE_GRANTS = {";
  const added = fs.readFileSync(grants, "utf8").replace(start, `${start}\n  ${ADDED_TABLE}: WRITE,`);
  fs.writeFileSync(grants, added);
  return { server, worker: `${FOLDER}/build/worker.mjs`, migrate: `${FOLDER}/scripts/migrate.mjs` };
}

async function bundle(migrations: readonly { name: string }[]): Promise<string> {
  process.once("exit", () => fs.rmSync(inRoot(FOLDER), { recursive: true, force: true }));
  const names = migrations.map(({ name }) => name);
  await bundlePrograms({
    outdir: `${FOLDER}/build`,
    plugins: [
      {
        name: "more migrations",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/generated\/migrations\.ts$/ }, () => ({
            contents: `export const migrations = ${JSON.stringify(names)};`,
            loader: "ts",
          })),
      },
    ],
  });
  for (const name of [".next", "lib", "next.config.mjs", "package.json", "public"]) {
    const link = inRoot(FOLDER, name);
    if (!fs.existsSync(link)) fs.symlinkSync(inRoot(name), link);
  }
  return `${FOLDER}/build/server.mjs`;
}
