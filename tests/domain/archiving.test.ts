// PostgreSQL says whether it can archive its log. Only a server that archives it has an answer.
import fs from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { isArchivingFailing } from "@/lib/platform/db/archiver";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { startWithRoles } from "@/scripts/lib/roles.mjs";
import { changeSettings, forgetProcessState } from "../support/process-state";
import { temporaryDataDir } from "../support/processes";

const { DATABASE_URL = "" } = process.env;
afterAll(() => changeSettings({ DATABASE_URL }));

test("a database that archives nothing has no answer", async () => {
  expect(await isArchivingFailing()).toBeNull();
});

test("a failed attempt is noticed, and so is the next one that succeeds", async () => {
  const directory = path.join(path.dirname(temporaryDataDir()), "archiving");
  const settings = { fsync: "off", wal_level: "replica", archive_mode: "on", archive_command: "false" };
  const database = await startWithRoles({ directory, settings });
  const run = (statement: string) => asAdmin(database.ownerUrl, (client) => client.query(statement));
  try {
    await changeSettings({ DATABASE_URL: database.url });
    expect(await isArchivingFailing()).toBe(false);
    await run("CREATE TABLE filler (id int)");
    await run("SELECT pg_switch_wal()");
    await expect.poll(isArchivingFailing).toBe(true);
    await run("ALTER SYSTEM SET archive_command = 'true'");
    await run("SELECT pg_reload_conf()");
    await expect.poll(isArchivingFailing).toBe(false);
  } finally {
    await forgetProcessState();
    await database.release();
    fs.rmSync(path.dirname(directory), { recursive: true, force: true });
  }
});
