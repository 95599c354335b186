// What is wrong with a connection pooler, such as PgBouncer. Plain JavaScript without packages, because system-failure.mjs needs it.

const GUIDE = "(docs/guides/database.md)";
const NEEDED = `PgBouncer 1.21 or newer with max_prepared_statements is required ${GUIDE}`;

export const DIRECT_URL_REQUIRED =
  "DIRECT_DATABASE_URL is required, because DATABASE_URL points to a connection pooler, such as PgBouncer: set it to the URL of " +
  `PostgreSQL itself ${GUIDE}`;
export const DIRECT_URL_POOLED =
  "DIRECT_DATABASE_URL points to a connection pooler: it must point to PostgreSQL itself";
export const NO_PREPARED_STATEMENTS = `DATABASE_URL points to a connection pooler that does not support prepared statements: ${NEEDED}`;
const TOO_OLD = `DATABASE_URL points to a connection pooler that is too old: ${NEEDED}`;

/**
 * @param {readonly string[]} wrong see `listWrongSettings`
 * @returns {string}
 */
export function describeWrongSettings(wrong) {
  const how =
    "PgBouncer does not pass settings on, so the role needs them: run npm run migrate -- deploy with MIGRATION_DATABASE_URL, and then " +
    "RECONNECT in PgBouncer, whose open connections keep the old settings";
  return `The database sessions of DATABASE_URL have wrong settings: ${wrong.join(", ")}. ${how} ${GUIDE}`;
}

/**
 * Returns the reason if a pooler rejected a connection, because it doesn't know the settings that the client sent, or null.
 *
 * @param {unknown} error
 * @returns {string | null}
 */
export function describeRejection(error) {
  const message = error instanceof Error ? error.message : "";
  const [, parameter] = /^unsupported startup parameter(?: in options)?: (\w+)/.exec(message) ?? [];
  if (parameter === undefined) return null;
  return parameter === "options" ? TOO_OLD : DIRECT_URL_REQUIRED;
}
