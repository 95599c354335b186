import { applyGrants } from "@/scripts/lib/apply-grants.mjs";
import { onEnd } from "@/scripts/lib/lifetime.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { asAdmin, recreateDatabase } from "@/scripts/lib/postgres.mjs";
import { databaseUrl } from "@/tests/support/databases";

/**
 * Creates a migrated database without data that is dropped when the process ends. `url` has the server's role, as in production.
 * `ownerUrl` is for preparing data.
 */
export async function createDatabase(name: string): Promise<{ url: string; ownerUrl: string }> {
  const { url, ownerUrl } = await createEmptyDatabase(name);
  await deploy(ownerUrl);
  if (url !== ownerUrl) await applyGrants(ownerUrl, decodeURIComponent(new URL(url).username));
  return { url, ownerUrl };
}

/** Creates a database without tables that is dropped when the process ends. */
export async function createEmptyDatabase(name: string): Promise<{ url: string; ownerUrl: string }> {
  const { DATABASE_URL: server = "", MIGRATION_DATABASE_URL: owner = server } = process.env;
  const [url, ownerUrl] = [databaseUrl(server, name), databaseUrl(owner, name)];
  onEnd(() => asAdmin(owner, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  await recreateDatabase(ownerUrl);
  return { url, ownerUrl };
}
