// Compares the migrations with the schema and writes new migrations, with Prisma's schema engine as WebAssembly. The engine creates and
// drops its own shadow databases.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { findServer } from "../../lib/platform/db/client.mjs";
import { parseDatabaseUrl } from "../../lib/platform/db/database-url.mjs";
import { readMigrations } from "./migration-files.mjs";
import { inRoot } from "./paths.mjs";

const MIGRATIONS = inRoot("prisma/migrations");
const LOCK_FILE = { path: "migration_lock.toml", content: 'provider = "postgresql"\n' };
const INTERNAL_CHAR_OID = 18;
const TEXT_OID = 25;
const filters = { externalTables: [], externalEnums: [] };

/** Prisma's adapter with fixes for the schema engine. */
class EngineAdapter extends PrismaPg {
  #config;

  constructor(config) {
    super(config);
    this.#config = config;
  }

  async connect() {
    return fixAdapter(await super.connect());
  }

  /** Replaces a method that opens the main database if the config is a connection string, and drops the shadow before its pool ends. */
  async connectToShadowDb() {
    const database = `crosswalk_shadow_${crypto.randomUUID().replaceAll("-", "")}`;
    const admin = new pg.Client(this.#config);
    await admin.connect();
    await admin.query(`create database "${database}"`);
    const adapter = await new PrismaPg({ ...this.#config, database }).connect();
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await admin.query(`drop database if exists "${database}" with (force)`);
      await admin.end();
    };
    return fixAdapter(adapter);
  }
}

function fixAdapter(adapter) {
  // Prisma's method splits at every semicolon, which breaks function bodies, and it is not atomic.
  adapter.executeScript = async (sql) => {
    try {
      await adapter.client.query(sql);
    } catch (error) {
      adapter.onError(error);
    }
  };
  // Prisma's adapter does not know the type "char" of the system catalogs. Read it as text and report it as a character.
  const queryRaw = adapter.queryRaw;
  adapter.queryRaw = async (query) => {
    let characters = [];
    const performIO = async (input) => {
      const result = await adapter.performIO(input);
      characters = result.fields.flatMap((field, index) => (field.dataTypeID === INTERNAL_CHAR_OID ? [index] : []));
      for (const index of characters) result.fields[index].dataTypeID = TEXT_OID;
      return result;
    };
    const result = await queryRaw.call(Object.create(adapter, { performIO: { value: performIO } }), query);
    for (const index of characters) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
  return adapter;
}

async function findConnection(url) {
  const { username, password, pathname } = new URL(parseDatabaseUrl(url).urls[0]);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return { ...(await findServer(url)), user, password: secret, database };
}

function readSchemaFiles() {
  const folder = inRoot("prisma/schema");
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".prisma"));
  return names
    .sort()
    .map((name) => ({ path: `prisma/schema/${name}`, content: fs.readFileSync(path.join(folder, name), "utf8") }));
}

function listMigrations() {
  return {
    baseDir: MIGRATIONS,
    lockfile: LOCK_FILE,
    shadowDbInitScript: "",
    migrationDirectories: readMigrations().map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
    })),
  };
}

async function openEngine(url) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error("schema engine:", message) };
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const wasm = fs.readFileSync(path.join(path.dirname(entry), "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  const datamodels = readSchemaFiles().map(({ path: name, content }) => [name, content]);
  const factory = bindMigrationAwareSqlAdapterFactory(new EngineAdapter(await findConnection(url)));
  return bindings.SchemaEngine.new({ datamodels }, () => {}, factory);
}

/** Returns the SQL that the migrations lack compared with the schema, or an empty text if they agree. */
export async function diffMigrations(url) {
  const engine = await openEngine(url);
  const to = { tag: "schemaDatamodel", files: readSchemaFiles() };
  const from = { tag: "migrations", ...listMigrations() };
  const result = await engine.diff({ from, to, script: true, exitCode: true, filters });
  return result.exitCode === 0 ? "" : result.stdout;
}

/** Writes a migration for the changes of the schema. Returns its name, or null if nothing changed. */
export async function createMigration(url, title) {
  const script = await diffMigrations(url);
  if (!script) return null;
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const name = `${time}_${title.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`;
  const folder = path.join(MIGRATIONS, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "migration.sql"), script);
  return name;
}
