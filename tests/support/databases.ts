import { randomBytes } from "node:crypto";
import { asAdmin } from "@/scripts/lib/postgres.mjs";

/** Returns the URL of another database on the same server. */
export function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Returns a database's URL with the login of another URL. */
export function withLoginOf(login: string, database: string): string {
  const url = new URL(database);
  ({ username: url.username, password: url.password } = new URL(login));
  return url.href;
}

/**
 * Clones a database from the template; `drop` removes it and ends its connections.
 *
 * @param options.suffix ends its name; random by default
 */
export async function cloneDatabase(options: { server: string; template: string; run: string; suffix?: string }) {
  const { server, template, run, suffix = randomBytes(6).toString("hex") } = options;
  const name = `${run}_${suffix}`;
  // A test file that fails to load leaves its database behind.
  await asAdmin(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: databaseUrl(server, name),
    drop: async () => {
      await asAdmin(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}
