// The role that owns the tables, for what the product is not allowed to do: tampering with history, adding triggers,
// changing tables.
import pg from "pg";
import { inject } from "vitest";
import { type Db, PgDb } from "@/lib/platform/db/sql";
import { withLoginOf } from "./databases";

let open: pg.Pool | undefined;

function pool(): pg.Pool {
  open ??= new pg.Pool({ connectionString: ownerUrl(), max: 3 }).on("error", () => {});
  return open;
}

/** Returns the URL of the test file's database with the owner's role. */
export const ownerUrl = () => withLoginOf(inject("server"), process.env.DATABASE_URL as string);

/** Runs statements on the test file's database as its owner. */
export const owner: Db = {
  rows: (statement) => new PgDb(pool()).rows(statement),
  first: (statement) => new PgDb(pool()).first(statement),
  one: (statement) => new PgDb(pool()).one(statement),
  run: (statement) => new PgDb(pool()).run(statement),
};

/** Runs statements as the owner in one transaction. */
export async function asOwner(work: (tx: Db) => Promise<void>): Promise<void> {
  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    await work(new PgDb(client));
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

/** Closes the connections, before the database is dropped. */
export async function closeOwner(): Promise<void> {
  await open?.end();
  open = undefined;
}
