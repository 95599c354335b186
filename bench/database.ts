import { onEnd } from "@/scripts/lib/lifetime.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { asAdmin, recreateDatabase } from "@/scripts/lib/postgres.mjs";
import { databaseUrl } from "@/tests/support/databases";

/** The URLs of a database: with the server's role, as in production, and with the owner's, for preparing data. */
export interface DatabaseUrls {
  url: string;
  ownerUrl: string;
}

/**
 * Creates a migrated database without data.
 *
 * @param options.isKept keeps the database. Otherwise, it is dropped when the process ends
 */
export async function createDatabase(name: string, options: { isKept?: boolean } = {}): Promise<DatabaseUrls> {
  const { url, ownerUrl } = await createEmptyDatabase(name, options);
  await deploy(ownerUrl, undefined, url === ownerUrl ? null : decodeURIComponent(new URL(url).username));
  return { url, ownerUrl };
}

/** Creates a database without tables. */
export async function createEmptyDatabase(name: string, { isKept = false } = {}): Promise<DatabaseUrls> {
  const { url, ownerUrl } = urlsOf(name);
  const admin = databaseUrl(ownerUrl, "postgres");
  if (!isKept) onEnd(() => asAdmin(admin, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  await recreateDatabase(ownerUrl);
  return { url, ownerUrl };
}

/** Returns the URLs of a database of this name, which may not exist. */
export function urlsOf(name: string): DatabaseUrls {
  const { DATABASE_URL: server = "", MIGRATION_DATABASE_URL: owner = server } = process.env;
  return { url: databaseUrl(server, name), ownerUrl: databaseUrl(owner, name) };
}

const SETTINGS = ["shared_buffers", "huge_pages_status", "max_wal_size", "checkpoint_timeout"];

/** Returns the settings of PostgreSQL that matter most here, as a line of text. PostgreSQL 17 and newer know whether they got huge pages. */
export function describeSettings(url: string): Promise<string> {
  return asAdmin(url, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(
      "SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1) ORDER BY array_position($1, name)",
      [SETTINGS],
    );
    return rows.map(({ name, value }) => `${name} = ${value}`).join(", ");
  });
}
