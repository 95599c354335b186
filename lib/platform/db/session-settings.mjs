// The settings of the server's database sessions. Plain JavaScript, because the scripts use them, too.

/** As PostgreSQL shows them. TimeZone decides how times are read: Crosswalk expects UTC. */
const REQUIRED = {
  TimeZone: "UTC",
  statement_timeout: "30s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "1min",
};

export const SESSION_SETTINGS = {
  ...REQUIRED,
  // Starting parallel workers takes longer than most statements, and they would compete with other requests. This setting is not
  // required, because connections that a pooler opened before an upgrade work without it, only more slowly.
  max_parallel_workers_per_gather: "0",
};

const CURRENT = "SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name";

/**
 * Returns the settings that differ in a session, as `TimeZone is Europe/Berlin, not UTC`.
 *
 * @param {import("pg").ClientBase} client
 * @param {Record<string, string>} [wanted]
 * @returns {Promise<string[]>}
 */
export async function listWrongSettings(client, wanted = REQUIRED) {
  const { rows } = await client.query({
    text: CURRENT,
    values: [Object.keys(wanted)],
    query_timeout: 10_000,
  });
  return rows
    .filter(({ name, value }) => value !== wanted[name])
    .map(({ name, value }) => `${name} is ${value}, not ${wanted[name]}`);
}
