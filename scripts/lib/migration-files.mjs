// The migrations of the project. Loads no package, because every command reads them.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { inRoot } from "./paths.mjs";

/** Reads the migrations of the project, oldest first. */
export function readMigrations(folder = inRoot("prisma/migrations")) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(`${folder}/${name}/migration.sql`, "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
}
