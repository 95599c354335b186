import { createHash } from "node:crypto";
import type { TestProject } from "vitest/node";
import { FUNCTION_GRANTS, TABLE_GRANTS } from "@/scripts/lib/grants.mjs";
import { isAlive } from "@/scripts/lib/lock.mjs";
import { readMigrations } from "@/scripts/lib/migration-files.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { ensureRole, RUNTIME_ROLE, startWithRoles } from "@/scripts/lib/roles.mjs";
import { writeRouteTable } from "@/scripts/lib/route-table.mjs";
import { testCluster } from "./cluster.mjs";
import { databaseUrl } from "./databases";
import { bundleAllPrograms } from "./programs";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the test database server, with the role that owns the databases. */
    server: string;
    /** The same URL with the product's role. */
    runtime: string;
    /** The migrated, empty database that each test file clones. */
    template: string;
    /** Prefix of the names of this run's databases. */
    run: string;
  }
}

/** Starts the database server of the tests and creates the template; TEST_DATABASE_URL selects another server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Generated from the folders of the API, so it must be current.
  writeRouteTable();
  await bundleAllPrograms();
  const given = process.env.TEST_DATABASE_URL;
  const embedded = given ? null : await startWithRoles(testCluster);
  const server = given ?? (embedded?.ownerUrl as string);
  // The same for all runs on an external server, so that they can run at once.
  const password = createHash("sha256").update(`runtime ${given}`).digest("hex");
  const runtime = embedded?.url ?? (await ensureRole(server, { role: RUNTIME_ROLE, password }));
  await dropLeftovers(server);
  project.provide("server", server);
  project.provide("runtime", runtime);
  project.provide("template", await createTemplate(server));
  project.provide("run", `crosswalk_test_${process.pid}`);
  return async () => {
    await dropLeftovers(server, process.pid);
    await embedded?.release();
  };
}

/** Returns a template for the current migrations and rights, creating it if necessary. */
async function createTemplate(server: string): Promise<string> {
  const migrations = readMigrations();
  const state = JSON.stringify([migrations, TABLE_GRANTS, FUNCTION_GRANTS]);
  const hash = createHash("sha256").update(state).digest("hex").slice(0, 12);
  const template = `crosswalk_template_${hash}`;
  const draft = `${template}_draft`;
  await asAdmin(server, async (client) => {
    // If two runs start at once, the second waits and finds the template.
    await client.query("select pg_advisory_lock(hashtext('crosswalk_template'))");
    if ((await client.query("select 1 from pg_database where datname = $1", [template])).rowCount) return;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft}`);
    await deploy(databaseUrl(server, draft), migrations, RUNTIME_ROLE);
    await client.query(`alter database ${draft} rename to ${template}`);
  });
  return template;
}

/** Drops databases of killed runs, and of this run when it ends. */
async function dropLeftovers(server: string, ending?: number): Promise<void> {
  await asAdmin(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'crosswalk\\_test\\_%'",
    );
    for (const { datname } of rows) {
      const pid = Number(datname.split("_")[2]);
      if (pid === ending || !isAlive(pid)) await client.query(`drop database if exists "${datname}" with (force)`);
    }
  });
}
