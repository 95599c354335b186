// The rights of the server's database role. Migrations run as the owner of the tables. The server, the worker and the commands connect
// as a role that owns nothing and has only these rights. It can't use a table that is not listed.

const READ = "SELECT";
/** Rows are only added: history, audit, and replacements of deleted records. */
const APPEND = "SELECT, INSERT";
const WRITE = "SELECT, INSERT, UPDATE";
/** All columns of an audit entry but its ID: sealers would skip entries with lower IDs than a huge one. */
const ENTRY_COLUMNS =
  "practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source, address, reason, " +
  "request_id, detail";
/** Only for rows that expire, are replaced as a set, or are withdrawn. */
const WRITE_DELETE = "SELECT, INSERT, UPDATE, DELETE";

/**
 * Rights by table. A new table needs a line here, and a test fails until it has one. Grant as little as possible: history and
 * audit are APPEND, and anything else that happens to them is a function in FUNCTION_GRANTS. `UPDATE (column, …)` limits a right to columns.
 *
 * A changed right needs a migration, even an empty one, so that the previous version leaves it. Remove a right one version after its last
 * use: the previous version still runs during an upgrade (ADR 0241).
 */
export const TABLE_GRANTS = {
  // Migrations: whether any are pending.
  _prisma_migrations: READ,

  // Audit: only functions of the database seal entries in blocks and remove old ones.
  audit_pending: `SELECT, INSERT (${ENTRY_COLUMNS})`,
  audit_entry: READ,
  audit_block: READ,
  audit_log: READ,
  audit_removal: READ,
  audit_anchor: WRITE,

  // History.
  patient_version: APPEND,
  policy_version: APPEND,
  eligibility_check: APPEND,
  policy_note_change: APPEND,
  record_version: APPEND,
  // Written by the functions that delete.
  policy_tombstone: READ,
  migration_removal: READ,
  migration_sign_off: APPEND,

  // Patients and policies. Patients and policies themselves are deleted by functions alone.
  patient: WRITE,
  policy: WRITE,
  patient_insurance: WRITE_DELETE,
  legacy_card: WRITE_DELETE,
  policy_card_image: "SELECT, INSERT, UPDATE (to_version)",
  deleted_image: WRITE_DELETE,

  // Practices and what belongs to them.
  organization: WRITE,
  practice: WRITE,
  physician: WRITE,
  provider_availability: WRITE_DELETE,
  insurance_company: WRITE,
  insurance_plan: WRITE,
  resource_record: WRITE,
  resource_key: WRITE_DELETE,
  resource_file: WRITE,

  // Accounts, clients and sessions.
  staff_user: WRITE,
  staff_user_practice: WRITE_DELETE,
  staff_session: WRITE_DELETE,
  failed_sign_in: WRITE_DELETE,
  oauth_client: WRITE,
  oauth_client_secret: WRITE_DELETE,
  oauth_client_practice: WRITE_DELETE,
  oauth_token: WRITE_DELETE,
  idempotency_key: WRITE_DELETE,
  client_usage: WRITE_DELETE,
  policy_usage: WRITE_DELETE,
  legacy_usage: WRITE_DELETE,

  // Replication and webhooks. Attempts go with their event.
  replication_event: WRITE_DELETE,
  subscription: WRITE,
  published_event: WRITE_DELETE,
  webhook_attempt: WRITE,
  event_count: WRITE,
  event_count_progress: "SELECT, UPDATE",

  // Alerts.
  alert: WRITE_DELETE,

  // Migration runs.
  migration_run: WRITE,
  migration_record: WRITE,
  migration_part: WRITE_DELETE,
  migration_image: "SELECT, INSERT, DELETE",
  migration_reused_id: WRITE_DELETE,
  migration_repeat: "SELECT, INSERT",
  migration_finding: WRITE_DELETE,
  migration_day: WRITE,
};

/** Functions that run with the owner's rights and that the server may call. Triggers that do so need no line. */
export const FUNCTION_GRANTS = [
  "purge_policy",
  "purge_created_patients",
  "purge_added_policies",
  "purge_migration_removals",
  "refresh_statistics",
  "seal_audit",
  "remove_audit_year",
  "refresh_migration_statistics",
];

const VIEWS = ["audit_log"];

/** Tables whose rows the server can neither change nor delete. */
export const APPEND_ONLY = Object.entries(TABLE_GRANTS)
  .filter(([table, grants]) => !VIEWS.includes(table) && !/UPDATE|DELETE/.test(grants))
  .map(([table]) => table);

/** Finds rights of a role with which a flaw in the server could rewrite history. */
const EXCESS = `
  SELECT current_user AS role,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
    (SELECT count(*)::int FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
      AND pg_has_role(c.relowner, 'MEMBER')) AS owned,
    has_schema_privilege('public', 'CREATE') AS creates,
    ARRAY(SELECT c.relname::text FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)
        AND (has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE'))
      ORDER BY 1) AS changes`;

/**
 * @typedef {{ role: string, superuser: boolean, owned: number, creates: boolean, changes: string[] }} ExcessRights
 */

/**
 * Returns whether the role of a connection could rewrite history: as a superuser, as owner of the tables, or by rights that it was granted.
 *
 * @param {{ query: (text: string, values: unknown[]) => Promise<{ rows: ExcessRights[] }> }} client
 * @returns {Promise<string | null>} a warning
 */
export async function warnOfExcessRights(client) {
  const { role, superuser, owned, creates, changes } = (await client.query(EXCESS, [APPEND_ONLY])).rows[0];
  const can = superuser ? "is a superuser" : owned > 0 ? "owns the tables" : creates ? "may create tables" : null;
  const reason = can ?? (changes.length > 0 ? `may change ${changes.join(", ")}` : null);
  if (!reason) return null;
  return (
    `The server's database role ${role} ${reason}: anyone who takes over the server could rewrite history and audit. ` +
    "docs/guides/database.md shows how to give the server its own role."
  );
}
