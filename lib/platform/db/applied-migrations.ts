import { migrations } from "@/generated/migrations";
import { property } from "@/lib/platform/objects";
import { type Db, db, sql } from "./sql";

/** PostgreSQL's undefined_table: no migration was ever applied. */
const NO_SUCH_TABLE = "42P01";

/** Returns the names of this version's migrations that are not applied, and of applied migrations that this version doesn't have. */
export async function compareMigrations(read: Db): Promise<{ pending: string[]; unknown: string[] }> {
  const applied = await listApplied(read);
  return {
    pending: migrations.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !migrations.includes(name)),
  };
}

/**
 * Returns whether a later version has migrated the database, so that this process belongs to the previous version. It must not delete what
 * it finds unused, because new tables may refer to it.
 */
export async function isOutdated(): Promise<boolean> {
  return (await compareMigrations(db)).unknown.length > 0;
}

async function listApplied(read: Db): Promise<string[]> {
  try {
    const rows = await read.rows<{ name: string }>(sql`
      SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (property(error, "code") === NO_SUCH_TABLE) return [];
    throw error;
  }
}
