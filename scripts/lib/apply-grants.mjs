// Grants the server's database role exactly the rights in grants.mjs.
import { FUNCTION_GRANTS, TABLE_GRANTS } from "./grants.mjs";

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

/** Returns the names of tables, of their columns as `table.column`, and of functions. */
const OBJECTS = `
  SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace
  UNION ALL
  SELECT c.relname || '.' || t.attname FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT t.attisdropped
  UNION ALL
  SELECT proname || '()' FROM pg_proc WHERE pronamespace = $1::regnamespace`;

/** Returns the declared rights as such strings, for objects that exist: a later migration may create the others. */
function declaredRights(objects, sequences) {
  const functions = FUNCTION_GRANTS.filter((name) => objects.has(`${name}()`));
  const rights = [`SCHEMA ${SCHEMA} USAGE`, ...functions.map((name) => `FUNCTION ${name} EXECUTE`)];
  for (const [table, grants] of Object.entries(TABLE_GRANTS)) {
    if (!objects.has(table)) continue;
    for (const [, privilege, list] of grants.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g)) {
      const columns = list?.split(/,\s*/).map((column) => `${table}.${column}`);
      if (!columns) rights.push(`TABLE ${table} ${privilege}`);
      else rights.push(...columns.filter((name) => objects.has(name)).map((name) => `COLUMN ${name} ${privilege}`));
    }
  }
  for (const { sequence, table } of sequences)
    if (TABLE_GRANTS[table]?.includes("INSERT")) rights.push(`SEQUENCE ${sequence} USAGE`);
  return new Set(rights);
}

/**
 * Grants a role the declared rights on the schema's objects, and revokes all others.
 *
 * @param {import("pg").ClientBase} client of the owner of the tables, in a transaction
 * @param {string} role must not be the owner
 * @param {{ canRevoke: boolean }} options `canRevoke: false` if a later version has migrated the database: it needs rights that this
 *   version doesn't know
 * @returns {Promise<string[]>} the statements that were needed
 */
export async function applyGrants(client, role, { canRevoke }) {
  const read = async (text, ...values) => (await client.query(text, [SCHEMA, ...values])).rows;
  const held = new Set((await read(HELD, quote(role))).map(({ right }) => right));
  const objects = new Set((await read(OBJECTS)).map(({ name }) => name));
  const declared = declaredRights(objects, await read(SEQUENCES));
  const revoked = [
    ...[...held].filter((right) => !declared.has(right)).map((right) => statementOf("REVOKE", right, role)),
    // In PostgreSQL 14, every role can create tables in the schema public.
    ...((await canAnyoneCreate(client)) ? [`REVOKE CREATE ON SCHEMA ${SCHEMA} FROM PUBLIC`] : []),
  ];
  const granted = [...declared].filter((right) => !held.has(right)).map((right) => statementOf("GRANT", right, role));
  const statements = [...(canRevoke ? revoked : []), ...granted];
  for (const statement of statements) await client.query(statement);
  return statements;
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
