// Rolling a run back restores companies, and its original records are kept as long as the setting says.
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { getRecordPage } from "@/lib/migration/check/record-queries";
import { purgeRuns } from "@/lib/migration/rollback/purge-runs";
import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { cancelRun, createRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { countRun } from "@/lib/migration/runs/run-counts";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { getRunPage } from "@/lib/migration/work/page-queries";
import { setClock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPlan, tokenFor } from "../support/api";
import { COMPANIES, legacyCard, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import {
  convert,
  createCheckedRun,
  recordsOf,
  requestFor,
  rollBack,
  seedMigratingPractice,
  verify,
} from "../support/migration-runs";
import { asOwner, owner } from "../support/owner";

type Fields = Record<string, unknown>;

let basics: Basics;
let practiceId: number;
let token: string;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practiceId = await seedMigratingPractice(basics.organization);
  token = await tokenFor({ organizationId: basics.organization, practices: [practiceId] });
});
afterEach(() => setClock());

async function migrate(patients: readonly Fields[], companies: readonly Fields[] = COMPANIES): Promise<number> {
  const file = writeLines("patients.ndjson", patients);
  const runId = await createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", companies) });
  await convert(practiceId, runId);
  return runId;
}

/** Lists the practice's companies that are not deleted, as the API shows them, without counts and times. */
async function companies(): Promise<Fields[]> {
  const rows = await db.rows<{ row: Fields }>(sql`
    SELECT to_jsonb(c) - 'version' - 'modified_date' AS row FROM insurance_company c
    WHERE practice_id = ${practiceId} AND deleted_date IS NULL ORDER BY id`);
  return rows.map(({ row }) => row);
}

const idOf = async (externalId: number) =>
  (await companies()).find(({ external_id }) => external_id === externalId)?.id as number;

const resultOf = async (runId: number) => (await findRun(db, runId))?.roll_back?.companies;

describe("rolling back", () => {
  const RENAMED = [{ ...COMPANIES[0], carrier: "Humana of Kentucky", phone: "555-0100" }, COMPANIES[1] as Fields];
  const THIRD = { id: 5002, carrier: "Harborlight Health" };

  test("removes the companies that a run created and restores those it changed", async () => {
    await migrate([legacyPatient(1)]);
    const before = await companies();
    const runId = await migrate([legacyPatient(2)], [...RENAMED, THIRD]);
    const changed = await companies();
    expect(changed.map(({ carrier }) => carrier)).toEqual(["Humana of Kentucky", "Aetna", "Harborlight Health"]);
    const created = await idOf(5002);
    await rollBack(practiceId, runId);
    expect(await companies()).toEqual(before);
    expect(await resultOf(runId)).toEqual({ removed: [created], restored: [before[0]?.id], kept: [] });
    const { status, body } = await call("GET", `insurance_companies/${before[0]?.id}/`, { token });
    expect([status, body.carrier, body.phone]).toEqual([200, "Humana", null]);
  });

  test("restores the companies to their state before two runs if the later run is rolled back first", async () => {
    const first = await migrate([legacyPatient(1)]);
    const second = await migrate([legacyPatient(2)], RENAMED);
    await rollBack(practiceId, second);
    await rollBack(practiceId, first);
    expect(await companies()).toEqual([]);
    // A company that a run restored is deleted again.
    const third = await migrate([legacyPatient(3)]);
    expect(await companies()).toHaveLength(2);
    await rollBack(practiceId, third);
    expect(await companies()).toEqual([]);
  });

  test("keeps companies that changed since or are in use, and says which and why", async () => {
    await migrate([legacyPatient(1)]);
    const runId = await migrate(
      [legacyPatient(2)],
      [...RENAMED, THIRD, { id: 5003, carrier: "Granite" }, { id: 5004, carrier: "Oak" }],
    );
    const [humana, third, granite, oak] = await Promise.all([5000, 5002, 5003, 5004].map(idOf));
    const edit = (id: number | undefined, body: object) => call("PATCH", `insurance_companies/${id}/`, { token, body });
    expect((await edit(humana, { phone: "555-0199" })).status).toBe(200);
    expect((await edit(third, { city: "Boston" })).status).toBe(200);
    await seedPlan(practiceId, granite as number);
    // A company that a user deleted stays deleted.
    expect((await call("DELETE", `insurance_companies/${oak}/`, { token })).status).toBeLessThan(300);
    await rollBack(practiceId, runId);
    expect(await resultOf(runId)).toEqual({
      removed: [],
      restored: [],
      kept: [
        { id: humana, carrier: "Humana of Kentucky", why: "changed" },
        { id: third, carrier: "Harborlight Health", why: "changed" },
        { id: granite, carrier: "Granite", why: "used" },
      ],
    });
    const left = (await companies()).map(({ carrier, phone, city }) => [carrier, phone, city]);
    expect(left).toContainEqual(["Humana of Kentucky", "555-0199", "Louisville"]);
    expect(left).toContainEqual(["Harborlight Health", null, "Boston"]);
  });

  test("keeps a company used by a patient that was edited since", async () => {
    const runId = await migrate([legacyPatient(1), legacyPatient(2)]);
    const [first] = await recordsOf(runId);
    expect((await call("PATCH", `patients/${first?.patient_id}/`, { token, body: { middle_name: "Q" } })).status).toBe(
      200,
    );
    const aetna = await idOf(5001);
    await rollBack(practiceId, runId);
    const humana = await idOf(5000);
    expect(await resultOf(runId)).toEqual({
      removed: [aetna],
      restored: [],
      kept: [{ id: humana, carrier: "Humana", why: "used" }],
    });
  });
});

describe("retention", () => {
  const NAMES = /Nonesuch|123-45-6789|1979-03-04|M10\b/;
  const patient = async (n: number) =>
    legacyPatient(n, {
      first_name: `Nonesuch${n}`,
      dob: "1979-03-04",
      ssn: "123-45-6789",
      insurances: [legacyInsurance(10 * n, { relationship_to_insured: "Nonesuch" })],
      insurance_cards: [await legacyCard(n)],
    });
  const sound = async (n: number) => ({ ...(await patient(n)), insurances: [legacyInsurance(10 * n)] });
  const DAYS = config().MIGRATION_RETENTION_DAYS;

  /** Makes every run more than a week older for the database, which has its own clock. */
  const age = () =>
    asOwner(async (tx) => {
      await tx.run(sql`SET LOCAL session_replication_role = replica`);
      await tx.run(sql`UPDATE migration_run SET created_date = created_date - interval '8 days'`);
      await tx.run(sql`UPDATE migration_removal SET recorded_date = recorded_date - interval '8 days'`);
    });

  /** Advances the process's clock. */
  const later = (days: number) => {
    const now = Date.now() + days * 86_400_000;
    setClock({ now: () => new Date(now) });
  };

  /** Returns all content of a run's tables as text. */
  async function textOf(runId: number): Promise<string> {
    const tables = await db.rows<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name LIKE 'migration\\_%' AND column_name = 'run_id'`);
    expect(tables.length).toBeGreaterThan(5);
    const texts = tables.map(async ({ name }) => {
      const [row] = await db.rows<{ text: string | null }>(
        sql`SELECT string_agg(to_jsonb(t)::text, ' ') AS text FROM ${raw(name)} t WHERE run_id = ${runId}`,
      );
      return row?.text ?? "";
    });
    return (await Promise.all(texts)).join(" ");
  }

  const countAudited = async () =>
    (
      await db.first<{ count: number }>(sql`
      SELECT count(*) AS count FROM audit_log WHERE practice_id = ${practiceId} AND operation = 'migration.purge'`)
    )?.count;

  test("deletes the originals of a verified run and audits it; verdicts and counts stay, and a rollback says why it fails", async () => {
    const runId = await migrate([await sound(1), await sound(2)]);
    await verify(practiceId, runId);
    expect(await textOf(runId)).toMatch(NAMES);
    const { access } = requestFor(practiceId);
    const page = await getRunPage(access, runId);
    const ended = Date.parse(page.run.changed_date);
    expect(page.originals_until).toBe(new Date(ended + DAYS * 86_400_000).toISOString());

    later(DAYS - 1);
    await purgeRuns();
    expect([(await findRun(db, runId))?.purged_date, await countAudited()]).toEqual([null, 0]);
    later(DAYS + 1);
    await age();
    await purgeRuns();
    expect(await textOf(runId)).not.toMatch(NAMES);
    expect(await countAudited()).toBe(1);
    const after = await getRunPage(access, runId);
    expect([after.totals.patients, after.originals_until]).toEqual([page.totals.patients, null]);
    expect((await getRecordPage(access, runId, 1)).record).toMatchObject({
      verdict: "create",
      state: "verified",
      name: null,
    });

    const date = after.run.purged_date?.slice(0, 10);
    const why = `its originals were deleted on ${date} (MIGRATION_RETENTION_DAYS).`;
    const request = requestFor(practiceId);
    await expect(startRollBack(request, runId)).rejects.toThrow(`Run ${runId} can't be rolled back: ${why}`);
    await expect(startVerification(request, runId)).rejects.toThrow(`Run ${runId} can't be verified: ${why}`);
    const follows = {
      practiceId,
      name: "a",
      size: 1,
      asOf: "2025-10-01",
      columns: null,
      companies: [],
      follows: runId,
    };
    await expect(createRun(request, follows)).rejects.toMatchObject({
      fields: { follows: ["The originals of this run were deleted."] },
    });
    await purgeRuns();
    expect(await countAudited(), "once").toBe(1);
  });

  test("deletes what a rollback removed, and nothing too early", async () => {
    const runId = await migrate([await sound(1)]);
    await rollBack(practiceId, runId);
    later(DAYS - 1);
    await purgeRuns();
    expect(await textOf(runId)).toMatch(NAMES);
    later(DAYS + 1);
    await age();
    await purgeRuns();
    expect(await textOf(runId)).not.toMatch(NAMES);
  });

  test("deletes the proposed fixes of a canceled run, which then count no more", async () => {
    const file = writeLines("patients.ndjson", [
      legacyPatient(1, { insurances: [legacyInsurance(10, { copay: "$20" })] }),
    ]);
    const runId = await createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", COMPANIES) });
    await cancelRun(requestFor(practiceId), runId);
    const counted = async () =>
      (await countRun(runId)).groups.map(({ code, open, fixable }) => ({ code, open, fixable }));
    expect(await counted()).toEqual([{ code: "decimal_invalid", open: 1, fixable: 1 }]);
    later(DAYS + 1);
    await age();
    await purgeRuns();
    expect(await counted()).toEqual([{ code: "decimal_invalid", open: 1, fixable: 0 }]);
  });

  test("leaves an open run and its findings alone, however old", async () => {
    const file = writeLines("patients.ndjson", [await patient(1)]);
    const checked = await createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", COMPANIES) });
    later(10 * DAYS);
    await age();
    await purgeRuns();
    expect(await textOf(checked)).toMatch(NAMES);
    expect((await findRun(db, checked))?.purged_date).toBeNull();
  });

  test("resumes an interrupted purge, and removed records can't be deleted in any other way", async () => {
    const runId = await migrate([await sound(1)]);
    await rollBack(practiceId, runId);
    const deletion = sql`DELETE FROM migration_removal WHERE run_id = ${runId}`;
    await expect(db.run(deletion)).rejects.toThrow("permission denied");
    await expect(owner.run(deletion)).rejects.toThrow("migration_removal is append-only");
    await db.run(sql`UPDATE migration_run SET purging = TRUE, purged_date = now() WHERE id = ${runId}`);
    await age();
    const findPurging = () => db.one(sql`SELECT purging FROM migration_run WHERE id = ${runId}`);
    // The process stops after it has begun with the run.
    const { signal } = new AbortController();
    vi.spyOn(signal, "aborted", "get").mockReturnValueOnce(false).mockReturnValue(true);
    await purgeRuns({ signal });
    expect(await textOf(runId)).toMatch(NAMES);
    expect(await findPurging()).toEqual({ purging: true });
    await purgeRuns();
    expect(await textOf(runId)).not.toMatch(NAMES);
    expect(await findPurging()).toEqual({ purging: false });
  });
});
