// After a later version has migrated the database, a process of the previous version leaves alone what the later one needs. Both run during
// an upgrade, and only the previous one after going back.
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { deleteQueuedImages } from "@/lib/insurance/images/deletion-queue";
import { sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { removeReadUploads } from "@/lib/migration/read/upload-run";
import { purgeRuns } from "@/lib/migration/rollback/purge-runs";
import { cancelRun, createRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { setClock } from "@/lib/platform/clock";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { imageStore } from "@/lib/platform/storage/image-store";
import { processImage, storeImage } from "@/lib/platform/storage/process-image";
import { migrate } from "@/scripts/lib/database.mjs";
import { TABLE_GRANTS } from "@/scripts/lib/grants.mjs";
import { RUNTIME_ROLE } from "@/scripts/lib/roles.mjs";
import { type Basics, seedBasics, seedPatient } from "../support/api";
import { pngImage } from "../support/images";
import { requestFor, seedMigratingPractice } from "../support/migration-runs";
import { owner, ownerUrl } from "../support/owner";

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
  await owner.run(sql`CREATE TABLE later_table (id SERIAL PRIMARY KEY, note TEXT)`);
  await owner.run(sql`CREATE FUNCTION later_function() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
  await owner.run(sql`REVOKE EXECUTE ON FUNCTION later_function() FROM PUBLIC`);
});

const LATER = "29991231235959_later";
const forget = () => owner.run(sql`DELETE FROM _prisma_migrations WHERE migration_name = ${LATER}`);
beforeEach(async () => {
  await forget();
  await owner.run(sql`
    INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES (gen_random_uuid()::text, '', ${LATER}, now())`);
});

const migrateThisVersion = async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await migrate({ url: process.env.DATABASE_URL as string, ownerUrl: ownerUrl(), embedded: false });
  vi.restoreAllMocks();
};

test("migrate keeps rights and settings, and restores only rights that are missing", async () => {
  const rights = () =>
    db.one(sql`
      SELECT has_table_privilege('later_table', 'INSERT') AS inserts, has_sequence_privilege('later_table_id_seq', 'USAGE') AS counts,
        has_function_privilege('later_function()', 'EXECUTE') AS calls, has_table_privilege('subscription', 'DELETE') AS deletes,
        has_column_privilege('policy_card_image', 'to_version', 'SELECT') AS reads,
        (SELECT setting FROM pg_db_role_setting, unnest(setconfig) AS setting
          WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND setrole = ${RUNTIME_ROLE}::regrole
            AND setting LIKE 'statement_timeout=%') AS setting`);
  const grants = [
    "INSERT ON later_table",
    "USAGE ON SEQUENCE later_table_id_seq",
    "EXECUTE ON FUNCTION later_function()",
    "DELETE ON subscription",
  ];
  for (const grant of grants) await owner.run(raw(`GRANT ${grant} TO ${RUNTIME_ROLE}`));
  await owner.run(raw(`REVOKE ALL ON policy_card_image FROM ${RUNTIME_ROLE}`));
  const { name } = await owner.one<{ name: string }>(sql`SELECT current_database() AS name`);
  await owner.run(raw(`ALTER ROLE ${RUNTIME_ROLE} IN DATABASE ${name} SET statement_timeout = '45s'`));
  const kept = {
    inserts: true,
    counts: true,
    calls: true,
    deletes: true,
    reads: true,
    setting: "statement_timeout=45s",
  };
  await migrateThisVersion();
  expect(await rights()).toEqual(kept);
  // The latest version takes rights that it doesn't declare.
  expect(TABLE_GRANTS.subscription).not.toContain("DELETE");
  await forget();
  await migrateThisVersion();
  expect(await rights()).toEqual({
    inserts: false,
    counts: false,
    calls: false,
    deletes: false,
    reads: true,
    setting: "statement_timeout=30s",
  });
});

test("card images stay: tables that only the later version knows may refer to them", async () => {
  const store = async (seed: number) =>
    (await storeImage(await processImage(await pngImage(seed)), new Date().toISOString())).image_key;
  const [orphan, queued] = [await store(1), await store(2)];
  await db.run(sql`INSERT INTO deleted_image (image_key, deleted_date) VALUES (${queued}::uuid, now())`);
  expect(await deleteQueuedImages()).toEqual({ mayBeMore: false });
  const all = { minAgeMs: -3_600_000, force: true };
  await expect(sweepOrphans(all)).rejects.toMatchObject({ reason: "outdated_version" });
  for (const key of [orphan, queued]) expect(await imageStore().get(key)).not.toBeNull();
  await forget();
  await deleteQueuedImages();
  await sweepOrphans(all);
  for (const key of [orphan, queued]) expect(await imageStore().get(key)).toBeNull();
});

test("originals of migration runs stay: the later version may need them, or have more of them to delete", async () => {
  const practiceId = await seedMigratingPractice(basics.organization);
  const runId = await createRun(requestFor(practiceId), {
    practiceId,
    name: "patients.ndjson",
    size: 1,
    asOf: "2025-10-01",
    columns: null,
    companies: [],
    isUpload: true,
  });
  await cancelRun(requestFor(practiceId), runId);
  await db.run(sql`INSERT INTO migration_part (run_id, part, bytes) VALUES (${runId}, 1, 'x')`);
  const parts = () => db.rows(sql`SELECT part FROM migration_part WHERE run_id = ${runId}`);
  const isPurged = async () => (await findRun(db, runId))?.purged_date !== null;
  setClock({ now: () => new Date(Date.now() + 4_000 * 86_400_000) });
  try {
    await removeReadUploads();
    await purgeRuns();
    expect([(await parts()).length, await isPurged()]).toEqual([1, false]);
    await forget();
    await removeReadUploads();
    await purgeRuns();
    expect([(await parts()).length, await isPurged()]).toEqual([0, true]);
  } finally {
    setClock();
  }
});

test("a change of a kind that only the later version knows is not acknowledged", async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  await db.run(sql`
    INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date)
    VALUES (${patient}, ${basics.enabled}, 'patients_to_policies', 'update', '[{"kind": "merge"}]', '{}', now(), now())`);
  await deliverPatient(patient);
  expect(
    await db.rows(sql`SELECT status, attempts, last_error FROM replication_event WHERE patient_id = ${patient}`),
  ).toEqual([{ status: "pending", attempts: 1, last_error: "This version can't apply the change merge." }]);
});
