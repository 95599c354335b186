// The database a script works with: the one DATABASE_URL names, or the embedded one.
import fs from "node:fs";
import { withLock } from "./lock.mjs";
import { deploy, readMigrations, status } from "./migrations.mjs";
import { inData } from "./paths.mjs";
import { recreateDatabase, startPostgres } from "./postgres.mjs";
import { say, step } from "./progress.mjs";

/** Left where a demo was being written: what is half there is thrown away by the next start. */
const seedingMark = () => inData("postgres.seeding");

/**
 * Sets DATABASE_URL unless it is set, with the embedded database started behind it.
 * @returns {Promise<{ url: string, embedded: boolean }>}
 */
export async function openDatabase() {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, embedded: false };
  const { url } = await step("Starting PostgreSQL", () => startPostgres({ directory: inData("postgres") }));
  process.env.DATABASE_URL = url;
  return { url, embedded: true };
}

/** Applies pending migrations and says which. */
export async function migrate(url) {
  const { pending } = await status(url);
  const work = () => deploy(url);
  const result = pending.length > 0 ? await step(`Applying ${pending.length} migrations`, work) : await work();
  for (const warning of result.warnings) say(`! ${warning}`);
  return result;
}

/**
 * Applies pending migrations; a new embedded database (or one whose demo was cut short) gets the demo as well.
 * @param {{ url: string, embedded: boolean }} database
 * @param {{ demo: boolean | undefined, seed: (() => Promise<void>) | null }} options `demo`: true and false are the user's
 *   word, undefined leaves it to whether the database is new
 */
export function migrateAndSeed(database, options) {
  // Of two starts at once the second must not take the first one's demo, half written, for one that was cut short.
  if (!database.embedded) return prepare(database, options);
  return withLock(`${seedingMark()}.lock`, () => prepare(database, options));
}

async function prepare({ url, embedded }, { demo, seed }) {
  const mark = seedingMark();
  const cutShort = embedded && fs.existsSync(mark);
  if (cutShort) await step("Clearing away a demo that was cut short", () => recreateDatabase(url));
  const isNew = embedded && readMigrations().length > 0 && (await status(url)).done.length === 0;
  const wanted = seed && (demo ?? isNew);
  // Marked before the migrations: a start that is killed between them and the demo counts as cut short too.
  if (wanted && isNew) fs.writeFileSync(mark, "");
  await migrate(url);
  if (wanted) await step("Writing the demo", seed);
  fs.rmSync(mark, { force: true });
}
