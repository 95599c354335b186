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

/** Clones a database from the template (as files: a third of the time), with a new name; `drop` removes it and ends its connections. */
export async function cloneDatabase({ server, template, run }: { server: string; template: string; run: string }) {
  const name = `${run}_${randomBytes(6).toString("hex")}`;
  await asAdmin(
    server,
    async (client) => void (await client.query(`create database ${name} template ${template} strategy file_copy`)),
  );
  return {
    url: databaseUrl(server, name),
    drop: async () => {
      await asAdmin(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}
