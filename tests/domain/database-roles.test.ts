// The database lets the server do only what is declared, and only append to history and audit.
import { readFileSync } from "node:fs";
import type pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { listWrongSettings, SESSION_SETTINGS } from "@/lib/platform/db/session-settings.mjs";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { migrate } from "@/scripts/lib/database.mjs";
import { APPEND_ONLY, FUNCTION_GRANTS, TABLE_GRANTS, warnOfExcessRights } from "@/scripts/lib/grants.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { RUNTIME_ROLE } from "@/scripts/lib/roles.mjs";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { databaseUrl } from "@/tests/support/databases";
import { owner, ownerUrl } from "@/tests/support/owner";

let basics: Basics;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { status } = await call("POST", `patients/${patient}/policies`, {
    token: basics.token,
    body: { ...MARIA, rank: 1 },
  });
  expect(status).toBe(201);
});

/** Returns the effective rights of a role on a table, from the catalogs: `SELECT, INSERT, UPDATE (column)`. */
const rightsOn = async (table: string): Promise<string> => {
  const { rights } = (await db.first<{ rights: string }>(sql`
    SELECT coalesce(string_agg(text, ', ' ORDER BY at), '') AS rights FROM (
      SELECT at, CASE WHEN has_table_privilege(current_user, ${table}, name) THEN name
        WHEN name IN ('SELECT', 'INSERT', 'UPDATE') THEN name || ' (' || (
          SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped
            AND has_column_privilege(current_user, attrelid, attnum, name)) || ')' END AS text
      FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) WITH ORDINALITY AS p(name, at)
    ) AS held`)) as { rights: string };
  return rights;
};

describe("the role of the server", () => {
  test("is not a superuser, owns nothing and can't create anything", async () => {
    const role = await db.first(sql`
      SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
        (SELECT count(*)::int FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o') AS owns,
        (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS member,
        has_schema_privilege(rolname, 'public', 'CREATE') AS creates,
        has_database_privilege(rolname, current_database(), 'CREATE') AS makes_schemas
      FROM pg_roles r WHERE rolname = current_user`);
    expect(role).toEqual({
      rolname: RUNTIME_ROLE,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      owns: 0,
      member: 0,
      creates: false,
      makes_schemas: false,
    });
    expect(await transaction((tx) => tx.run(sql`SELECT 1`))).toBe(1);
    await asAdmin(process.env.DATABASE_URL as string, async (client) =>
      expect(await warnOfExcessRights(client)).toBe(null),
    );
  });

  test("has exactly the declared rights on every table", async () => {
    const tables = await db.rows<{ name: string }>(
      sql`SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
        AND NOT relispartition`,
    );
    expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(TABLE_GRANTS).sort());
    for (const table of Object.keys(TABLE_GRANTS))
      expect([table, await rightsOn(table)]).toEqual([table, TABLE_GRANTS[table as keyof typeof TABLE_GRANTS]]);
  });

  test("reads sequences and can't reset them", async () => {
    const sequences = await db.rows<{ name: string; uses: boolean; sets: boolean }>(sql`
      SELECT relname::text AS name, has_sequence_privilege(current_user, oid, 'USAGE') AS uses,
        has_sequence_privilege(current_user, oid, 'UPDATE') AS sets
      FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace`);
    expect(sequences.length).toBeGreaterThan(10);
    expect(sequences.filter(({ sets }) => sets)).toEqual([]);
    // Tables that only the owner inserts into need no sequence for the server.
    const unused = sequences.filter(({ uses }) => !uses).map(({ name }) => name);
    expect(unused.sort()).toEqual(["audit_block_id_seq", "migration_removal_id_seq"]);
  });

  test("calls functions with the owner's rights only if they are declared and set a search path", async () => {
    const functions = await db.rows<{
      name: string;
      settings: string[];
      calls: boolean;
      open: boolean;
      trigger: boolean;
    }>(sql`
      SELECT proname::text AS name, proconfig AS settings, has_function_privilege(current_user, oid, 'EXECUTE') AS calls,
        proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) AS open,
        prorettype = 'trigger'::regtype AS trigger
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef`);
    for (const { name, settings } of functions)
      expect([name, settings]).toEqual([name, expect.arrayContaining(["search_path=public, pg_temp"])]);
    // A guard without a search path would read a temporary table of the session.
    const guards = await db.rows(sql`
      SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        AND prorettype = 'trigger'::regtype AND prosrc ~* '\mfrom\M' AND proconfig IS NULL`);
    expect(guards).toEqual([]);
    const callable = functions.filter(({ trigger }) => !trigger);
    expect(
      callable
        .filter(({ calls }) => calls)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...FUNCTION_GRANTS].sort());
    expect(callable.filter(({ open }) => open)).toEqual([]);
  });
});

describe("history and audit", () => {
  test("are the append-only tables", () => {
    const kept = [
      "audit_pending",
      "audit_entry",
      "audit_block",
      "audit_removal",
      "patient_version",
      "policy_version",
      "record_version",
      "migration_sign_off",
    ];
    expect(APPEND_ONLY).toEqual(expect.arrayContaining([...kept, "policy_tombstone", "migration_removal"]));
  });

  describe.each(APPEND_ONLY)("%s", (table) => {
    const columnOf = async () => {
      const column = await db.first<{ name: string }>(
        sql`SELECT attname::text AS name FROM pg_attribute WHERE attrelid = ${table}::regclass AND attnum = 1`,
      );
      return column?.name as string;
    };

    test.each([
      ["UPDATE", (name: string, column: string) => `UPDATE ${name} SET ${column} = ${column}`],
      ["DELETE", (name: string) => `DELETE FROM ${name}`],
      ["TRUNCATE", (name: string) => `TRUNCATE ${name} CASCADE`],
      ["DISABLE TRIGGER", (name: string) => `ALTER TABLE ${name} DISABLE TRIGGER ALL`],
      ["DROP", (name: string) => `DROP TABLE ${name} CASCADE`],
      ["OWNER", (name: string) => `ALTER TABLE ${name} OWNER TO CURRENT_USER`],
      ["GRANT", (name: string) => `GRANT ALL ON ${name} TO PUBLIC`],
      ["CREATE RULE", (name: string) => `CREATE RULE quiet AS ON INSERT TO ${name} DO INSTEAD NOTHING`],
      [
        "CREATE TRIGGER",
        (name: string) =>
          `CREATE TRIGGER mine BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION reject_history_change()`,
      ],
    ])("rejects %s", async (what, statement) => {
      const text = statement(table, await columnOf());
      if (what === "GRANT") {
        // PostgreSQL only warns if nothing was granted.
        await db.run(raw(text)).catch(() => {});
        return expect(await rightsOn(table)).toBe(TABLE_GRANTS[table as keyof typeof TABLE_GRANTS]);
      }
      await expect(db.run(raw(text))).rejects.toMatchObject({ code: "42501" });
    });
  });

  test.each([
    "SET session_replication_role = replica",
    "ALTER DATABASE postgres SET session_replication_role = replica",
    "ALTER FUNCTION reject_history_change() RENAME TO gone",
    "CREATE OR REPLACE FUNCTION reject_history_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
    "CREATE TABLE public.mine (id int)",
    "CREATE SCHEMA mine",
    "DELETE FROM policy",
    "DELETE FROM patient",
    "SELECT pg_read_file('/etc/passwd')",
    "COPY policy TO PROGRAM 'true'",
  ])("can't be reached by %s", async (statement) => {
    await expect(db.run(raw(statement))).rejects.toMatchObject({ code: "42501" });
  });

  test("stay protected if a session changes the settings of the owner's functions", async () => {
    const attempt = transaction(async (tx) => {
      const ids = await tx.rows<{ id: number }>(sql`SELECT id FROM policy WHERE patient_id = ${patient}`);
      await tx.run(sql`SELECT set_config('crosswalk.removing_policy', ${ids.map(({ id }) => id).join(",")}, true)`);
      await tx.run(sql`DELETE FROM policy_version WHERE patient_id = ${patient}`);
    });
    await expect(attempt).rejects.toMatchObject({ code: "42501" });
  });
});

describe("rights", () => {
  /** Returns the statements that were needed. */
  const restoreRights = async () => (await deploy(ownerUrl(), undefined, RUNTIME_ROLE)).rights;

  test("are granted once; extra rights are revoked, and missing ones restored", async () => {
    expect(await restoreRights()).toEqual([]);
    await owner.run(raw(`GRANT ALL ON audit_entry, audit_block TO ${RUNTIME_ROLE}`));
    await owner.run(raw(`REVOKE SELECT ON policy FROM ${RUNTIME_ROLE}`));
    await owner.run(raw(`GRANT UPDATE (hash) ON audit_block TO ${RUNTIME_ROLE}`));
    await owner.run(raw(`GRANT CREATE ON SCHEMA public TO ${RUNTIME_ROLE}`));
    await owner.run(sql`CREATE TABLE undecided (id int)`);
    await owner.run(raw(`GRANT SELECT ON undecided TO ${RUNTIME_ROLE}`));
    expect((await restoreRights())?.length).toBeGreaterThan(8);
    for (const table of ["audit_entry", "audit_block", "policy"] as const)
      expect(await rightsOn(table)).toBe(TABLE_GRANTS[table]);
    expect(await rightsOn("undecided")).toBe("");
    await expect(db.run(sql`CREATE TABLE mine (id int)`)).rejects.toMatchObject({ code: "42501" });
    expect(await restoreRights()).toEqual([]);
  });

  test("produce a warning if a role gets them in other ways", async () => {
    const warningFor = (url: string) => asAdmin(url, warnOfExcessRights);
    expect(await warningFor(ownerUrl())).toMatch(/is a superuser.*docs\/guides\/database\.md/);
    await owner.run(sql`GRANT UPDATE ON audit_entry TO PUBLIC`);
    expect(await warningFor(process.env.DATABASE_URL as string)).toMatch(/may change audit_entry:/);
    await owner.run(sql`REVOKE UPDATE ON audit_entry FROM PUBLIC`);
    expect(await warningFor(process.env.DATABASE_URL as string)).toBe(null);
    expect(readFileSync("docs/guides/database.md", "utf8")).toContain("MIGRATION_DATABASE_URL");
  });
});

test("an owner that is not a superuser and names that need quoting work", async () => {
  const [ownerRole, appRole] = [`${inject("run")} Owner's`, `${inject("run")} "App"`];
  const database = `${inject("run")}_roles`;
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const urlFor = (role: string) => {
    const url = new URL(databaseUrl(inject("server"), database));
    url.username = encodeURIComponent(role);
    url.password = "secret";
    return url.href;
  };
  const onServer = (...statements: string[]) =>
    asAdmin(inject("server"), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const removal = [
    `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`,
    ...[appRole, ownerRole].map((role) => `DROP ROLE IF EXISTS ${quoted(role)}`),
  ];
  await onServer(
    ...removal,
    ...[ownerRole, appRole].map((role) => `CREATE ROLE ${quoted(role)} LOGIN PASSWORD 'secret'`),
    `CREATE DATABASE ${database} OWNER ${quoted(ownerRole)}`,
  );
  try {
    const [url, owning] = [urlFor(appRole), urlFor(ownerRole)];
    await expect(migrate({ url, ownerUrl: url, embedded: false })).rejects.toThrow(/MIGRATION_DATABASE_URL/);
    await migrate({ url, ownerUrl: owning, embedded: false });
    expect(await asAdmin(url, warnOfExcessRights)).toBe(null);
    expect(await asAdmin(owning, warnOfExcessRights)).toMatch(/owns the tables/);
    const listAllWrong = (client: pg.ClientBase) => listWrongSettings(client, SESSION_SETTINGS);
    expect(await asAdmin(url, listAllWrong)).toEqual([]);
    expect(await asAdmin(owning, listAllWrong)).toContain("max_parallel_workers_per_gather is 2, not 0");
    // A server also starts with connections that a pooler opened before the role had every setting.
    const required = await asAdmin(owning, listWrongSettings);
    expect(required).toContain("statement_timeout is 0, not 30s");
    expect(required.join()).not.toContain("max_parallel_workers_per_gather");
    await asAdmin(url, async (client) => {
      await client.query(`INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source)
        SELECT 1, now(), 'system', 'x', 'read', 'x', '{}', 'staff' FROM generate_series(1, 2)`);
      const forbidden = [
        "INSERT INTO audit_entry TABLE audit_entry",
        "INSERT INTO audit_block TABLE audit_block",
        "UPDATE audit_block SET last_seq = 9",
        "DELETE FROM audit_pending",
      ];
      for (const statement of forbidden) await expect(client.query(statement)).rejects.toMatchObject({ code: "42501" });
      expect((await client.query("SELECT sealed FROM seal_audit(0, 100)")).rows).toEqual([{ sealed: 2 }]);
      expect((await client.query("SELECT seq FROM audit_log ORDER BY seq")).rows).toEqual([{ seq: "1" }, { seq: "2" }]);
    });
    // After the migration, the server's role is sufficient.
    await migrate({ url, ownerUrl: url, embedded: false });
    // If there is only one role, it keeps all its rights.
    await migrate({ url: owning, ownerUrl: owning, embedded: false });
    await asAdmin(owning, (client) => client.query("SELECT count(*) FROM policy_tombstone"));
  } finally {
    await onServer(...removal);
  }
});
