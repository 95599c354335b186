// The database functions that delete history for the server, which may not delete it directly, follow their rules
// even if the rows of a run claim otherwise.
import { beforeAll, describe, expect, test } from "vitest";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { COMPANIES, legacyInsurance, legacyPatient, writeLines } from "@/tests/support/legacy-export";
import { convert, createCheckedRun, recordsOf, seedMigratingPractice } from "@/tests/support/migration-runs";

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

describe("functions that delete history", () => {
  const who = sql`'{}'::jsonb, 'staff', 'x', NULL, now()`;

  test("reject a policy that is active or absent", async () => {
    const policy = await db.first<{ id: number }>(sql`SELECT id FROM policy WHERE patient_id = ${patient}`);
    for (const id of [policy?.id ?? 0, 999_999_999])
      await expect(db.run(sql`SELECT purge_policy(${id}, ${who})`)).rejects.toMatchObject({ code: "42501" });
    expect(await db.rows(sql`SELECT id FROM policy WHERE id = ${policy?.id}`)).toHaveLength(1);
  });

  /** Creates the rows that the server can write to claim patients and policies for a run that is being rolled back. */
  async function createFalseRun(practice: number): Promise<number> {
    const run = await db.first<{ id: number }>(sql`
      INSERT INTO migration_run (practice_id, source_name, source_size, as_of, state, since_date, origin, created_date, changed_date)
      VALUES (${practice}, 'x', 1, now(), 'rolling_back', now(), '{}', now() - interval '1 year', now()) RETURNING id`);
    return run?.id as number;
  }
  const addRecord = (run: number, number: number, patientId: number, outcome: object) =>
    db.run(sql`INSERT INTO migration_record (run_id, number, line, state, patient_id, outcome)
      VALUES (${run}, ${number}, 1, 'converted', ${patientId}, ${JSON.stringify(outcome)}::jsonb)`);
  const purgeCreated = (run: number, ...numbers: number[]) =>
    db.run(sql`SELECT purge_created_patients(${run}, ${numbers}::int[], ${who})`);
  const purgeAdded = (run: number, number: number, policies: readonly unknown[]) =>
    db.run(sql`SELECT purge_added_policies(${run}, ${number}, ${[...policies]}::bigint[], ${who})`);
  const policiesOf = (patientId: number) =>
    db.rows<{ id: number; patient_insurance: number }>(
      sql`SELECT id, patient_insurance FROM policy WHERE patient_id = ${patientId}`,
    );
  const denied = { code: "42501" };

  /** Creates a run in a new practice that created one patient with one policy. */
  async function createConvertedRun() {
    const practice = await seedMigratingPractice(basics.organization);
    const companies = writeLines("companies.ndjson", COMPANIES);
    const insurances = [legacyInsurance(10)];
    const run = await createCheckedRun(
      practice,
      writeLines("patients.ndjson", [legacyPatient(1, { insurances, deleted_insurances: [] })]),
      {
        companies,
      },
    );
    await convert(practice, run);
    const [record] = await recordsOf(run);
    return { practice, run, created: record?.patient_id as number };
  }
  const startRollingBack = (run: number) =>
    db.run(sql`UPDATE migration_run SET state = 'rolling_back' WHERE id = ${run}`);

  test("remove patients that the run created, and save a copy", async () => {
    const { run, created } = await createConvertedRun();
    const [policy] = await policiesOf(created);
    await expect(purgeCreated(run, 1), "it is not being rolled back").rejects.toMatchObject(denied);
    await startRollingBack(run);
    for (const numbers of [[2], [1, 2]]) await expect(purgeCreated(run, ...numbers)).rejects.toMatchObject(denied);
    await purgeCreated(run, 1);
    expect(await db.rows(sql`SELECT id FROM patient WHERE id = ${created}`)).toEqual([]);
    const [kept] = await db.rows<{ removed: Record<string, unknown[]> }>(
      sql`SELECT removed FROM migration_removal WHERE run_id = ${run}`,
    );
    expect(kept?.removed).toMatchObject({
      patient: { id: created },
      versions: [{ version: 1 }],
      policies: [{ id: policy?.id, versions: [{ version: 1 }] }],
    });
  });

  test("reject patients and policies that existed before the run, even if the run's rows claim them", async () => {
    const run = await createFalseRun(basics.enabled);
    const [policy] = await policiesOf(patient);
    await addRecord(run, 1, patient, { created: true, added: [policy?.patient_insurance] });
    await addRecord(run, 2, await seedPatient(basics.enabled, basics.physicians.enabled), { created: true, added: [] });
    await addRecord(run, 3, await seedPatient(basics.foreign, basics.physicians.foreign), { created: true, added: [] });
    for (const number of [1, 2, 3, 4]) await expect(purgeCreated(run, number)).rejects.toMatchObject(denied);
    for (const number of [1, 2, 9]) await expect(purgeAdded(run, number, [policy?.id])).rejects.toMatchObject(denied);
    expect(await policiesOf(patient)).toEqual([policy]);
  });

  test("reject records that changed since the conversion, belong to another run, or were moved to a patient of the run", async () => {
    const { practice, run, created } = await createConvertedRun();
    await startRollingBack(run);
    const [own] = await policiesOf(created);
    await expect(purgeAdded(await createFalseRun(basics.disabled), 1, [own?.id])).rejects.toMatchObject(denied);
    const [other] = await policiesOf(patient);
    await db.run(
      sql`UPDATE policy SET patient_id = ${created}, practice_id = ${practice}, rank = 2 WHERE id = ${other?.id}`,
    );
    await expect(purgeCreated(run, 1)).rejects.toMatchObject(denied);
    await db.run(
      sql`UPDATE policy SET patient_id = ${patient}, practice_id = ${basics.enabled}, rank = 1 WHERE id = ${other?.id}`,
    );
    await db.run(sql`
      INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, occurred_date)
      VALUES (${created}, 2, 'updated', '{}', '{}', 'staff', now())`);
    await expect(purgeCreated(run, 1)).rejects.toMatchObject(denied);
    expect(await policiesOf(created)).toEqual([own]);
  });

  test("delete what a rollback removed, but not before a week has passed", async () => {
    const { run } = await createConvertedRun();
    await startRollingBack(run);
    await db.run(
      sql`SELECT purge_created_patients(${run}, '{1}', '{}', 'staff', 'x', NULL, now() - interval '1 year')`,
    );
    await db.run(
      sql`UPDATE migration_run SET purging = TRUE, purged_date = now() - interval '1 year' WHERE id = ${run}`,
    );
    await expect(db.run(sql`SELECT purge_migration_removals(${run}, 10)`)).rejects.toMatchObject(denied);
    expect(await db.rows(sql`SELECT FROM migration_removal WHERE run_id = ${run}`)).toHaveLength(1);
  });

  test("a run's original records stay unchanged for at least a week", async () => {
    const { run } = await createConvertedRun();
    const old = await createFalseRun(basics.foreign);
    await db.run(sql`
      INSERT INTO migration_image (run_id, number, rank, side, sha256, bytes) VALUES (${run}, 1, 1, 1, 'x', 'x')`);
    await db.run(sql`UPDATE migration_run SET purging = TRUE, purged_date = now() WHERE id IN (${run}, ${old})`);
    for (const statement of [
      "UPDATE migration_record SET raw = NULL",
      "UPDATE migration_record SET raw = '{}'",
      "UPDATE migration_record SET exact = 'x'",
      "UPDATE migration_record SET outcome = NULL",
      "UPDATE migration_record SET outcome = '{}'",
      "UPDATE migration_record SET patient_id = 1",
      "UPDATE migration_record SET number = 7",
      `UPDATE migration_record SET run_id = ${old}`,
      "DELETE FROM migration_image",
      "UPDATE migration_image SET bytes = ''",
    ])
      await expect(db.run(sql`${raw(statement)} WHERE run_id = ${run}`), statement).rejects.toMatchObject(denied);
    const asTemporary = transaction(async (tx) => {
      await tx.run(sql`CREATE TEMP TABLE migration_run ON COMMIT DROP AS
        SELECT ${run}::bigint AS id, TRUE AS purging, now() AS purged_date, now() - interval '1 year' AS created_date`);
      await tx.run(sql`DELETE FROM pg_temp.migration_run WHERE FALSE`);
      await tx.run(sql`DELETE FROM public.migration_image WHERE run_id = ${run}`);
    });
    await expect(asTemporary).rejects.toMatchObject(denied);
    for (const change of ["created_date = created_date - interval '1 year'", "purged_date = NULL", "id = id + 1000000"])
      await expect(
        db.run(sql`UPDATE migration_run SET ${raw(change)} WHERE id = ${run}`),
        change,
      ).rejects.toMatchObject(denied);
  });
});
