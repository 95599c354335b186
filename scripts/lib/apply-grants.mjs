// Grants the server's database role exactly the rights in grants.mjs.
import { FUNCTION_GRANTS, TABLE_GRANTS } from "./grants.mjs";
import { LOCK_KEY } from "./migrations.mjs";
import { asAdmin } from "./postgres.mjs";

const SCHEMA = "public";
const quote = (name) => `"${name.replaceAll('"', '""')}"`;

/** Reads the rights of a role as strings: `TABLE policy UPDATE`, `COLUMN policy_card_image.to_version UPDATE`. */
const HELD = `
  SELECT 'TABLE ' || c.relname || ' ' || a.privilege_type AS right
  FROM pg_class c, aclexplode(c.relacl) a
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.grantee = $2::regrole
  UNION ALL
  SELECT 'COLUMN ' || c.relname || '.' || t.attname || ' ' || a.privilege_type
  FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
  WHERE c.relnamespace = $1::regnamespace AND a.grantee = $2::regrole
  UNION ALL
  SELECT 'SEQUENCE ' || c.relname || ' ' || a.privilege_type
  FROM pg_class c, aclexplode(c.relacl) a
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'S' AND a.grantee = $2::regrole
  UNION ALL
  SELECT 'FUNCTION ' || p.proname || ' ' || a.privilege_type
  FROM pg_proc p, aclexplode(p.proacl) a
  WHERE p.pronamespace = $1::regnamespace AND a.grantee = $2::regrole
  UNION ALL
  SELECT 'SCHEMA ' || n.nspname || ' ' || a.privilege_type
  FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.oid = $1::regnamespace AND a.grantee = $2::regrole`;

/** Returns the sequences for the IDs of tables. */
const SEQUENCES = `
  SELECT s.relname AS sequence, t.relname AS table
  FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class t ON t.oid = d.refobjid
  WHERE s.relkind = 'S' AND s.relnamespace = $1::regnamespace`;

/** Returns the declared rights as such strings, for tables that exist. */
export function declaredRights(tables, sequences) {
  const rights = [`SCHEMA ${SCHEMA} USAGE`, ...FUNCTION_GRANTS.map((name) => `FUNCTION ${name} EXECUTE`)];
  for (const [table, grants] of Object.entries(TABLE_GRANTS)) {
    if (!tables.has(table)) continue;
    for (const [, privilege, columns] of grants.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g)) {
      if (!columns) rights.push(`TABLE ${table} ${privilege}`);
      for (const column of columns?.split(/,\s*/) ?? []) rights.push(`COLUMN ${table}.${column} ${privilege}`);
    }
  }
  for (const { sequence, table } of sequences)
    if (TABLE_GRANTS[table]?.includes("INSERT")) rights.push(`SEQUENCE ${sequence} USAGE`);
  return new Set(rights);
}

/**
 * Grants a role the declared rights and revokes all others on the schema's objects, in one transaction.
 *
 * @param {string} url of the owner of the tables
 * @param {string} role must not be the owner
 * @returns {Promise<string[]>} the statements that were needed
 */
export function applyGrants(url, role) {
  return asAdmin(url, async (client) => {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK_KEY]);
    const held = new Set((await client.query(HELD, [SCHEMA, quote(role)])).rows.map(({ right }) => right));
    const tables = await client.query("select relname from pg_class where relnamespace = $1::regnamespace", [SCHEMA]);
    const sequences = await client.query(SEQUENCES, [SCHEMA]);
    const declared = declaredRights(new Set(tables.rows.map(({ relname }) => relname)), sequences.rows);
    const statements = [
      ...[...held].filter((right) => !declared.has(right)).map((right) => statementOf("REVOKE", right, role)),
      ...[...declared].filter((right) => !held.has(right)).map((right) => statementOf("GRANT", right, role)),
      // In PostgreSQL 14, every role can create tables in the schema public.
      ...((await canAnyoneCreate(client)) ? [`REVOKE CREATE ON SCHEMA ${SCHEMA} FROM PUBLIC`] : []),
    ];
    for (const statement of statements) await client.query(statement);
    await client.query("commit");
    return statements;
  });
}

async function canAnyoneCreate(client) {
  const { rowCount } = await client.query(
    "select 1 from pg_namespace n, aclexplode(n.nspacl) a where nspname = $1 and grantee = 0 and privilege_type = 'CREATE'",
    [SCHEMA],
  );
  return rowCount > 0;
}

function statementOf(verb, right, role) {
  const [kind, name, privilege] = right.split(" ");
  const preposition = verb === "GRANT" ? "TO" : "FROM";
  const whom = `${preposition} ${quote(role)}`;
  if (kind === "SCHEMA") return `${verb} ${privilege} ON SCHEMA ${quote(name)} ${whom}`;
  if (kind !== "COLUMN") return `${verb} ${privilege} ON ${kind} ${SCHEMA}.${quote(name)} ${whom}`;
  const [table, column] = name.split(".");
  return `${verb} ${privilege} (${quote(column)}) ON ${SCHEMA}.${quote(table)} ${whom}`;
}
