// Active runs: one at a time per practice, stopped and resumed, and records that changed since the check.
import { describe, expect, test } from "vitest";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { startOwnRun } from "@/lib/migration/read/legacy-scan";
import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { cancelRun, failRun, resumeRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { call, tokenFor } from "../support/api";
import { countStores, expectStoresEqual, legacyCard, legacyInsurance, legacyPatient } from "../support/legacy-export";
import { decisionsOf, seedMigratingPracticeBeforeEach, statesOf } from "../support/migrating-practice";
import { convert, readStores, recordsOf, requestFor, rollBack, skipErrors, verify } from "../support/migration-runs";
import { expectStoresAgree } from "../support/stores";

type Fields = Record<string, unknown>;

const practice = seedMigratingPracticeBeforeEach();
const { check, decide, startConverting } = practice;

describe("active runs", () => {
  test("are limited to one per practice; different practices may have runs at the same time", async () => {
    const [one, two] = [await check([legacyPatient(1)]), await check([legacyPatient(2)])];
    const elsewhere = await practice.seedAnother();
    const other = await check([legacyPatient(1)], { practiceId: elsewhere });
    await startConverting(one);
    await expect(startConverting(two)).rejects.toMatchObject({ code: "conflict", reason: "practice_at_work" });
    await expect(startConverting(one)).rejects.toMatchObject({ code: "conflict", reason: "run_state" });
    await startConversion(requestFor(elsewhere), other);
    const done = await Promise.all([workRun(one), workRun(other)]);
    expect(done.map((run) => run?.state)).toEqual(["converted", "converted"]);
    await startVerification(requestFor(practice.id), one);
    await expect(startConverting(two)).rejects.toMatchObject({ reason: "practice_at_work" });
    expect((await workRun(one))?.state).toBe("verified");
    await convert(practice.id, two);
    expect(await countStores(practice.id)).toMatchObject({ patients: 2 });
    expect(await countStores(elsewhere)).toMatchObject({ patients: 1 });
  });

  test("are limited to one of several concurrent starts; the others are rejected with the run in progress", async () => {
    for (let round = 0; round < 5; round++) {
      const other = await practice.seedAnother();
      const starts = await Promise.allSettled(Array.from({ length: 6 }, () => startOwnRun(requestFor(other), other)));
      const rejections = starts.flatMap((start) => (start.status === "rejected" ? [start.reason] : []));
      expect(rejections).toHaveLength(5);
      for (const reason of rejections) expect(reason).toMatchObject({ code: "conflict", reason: "practice_at_work" });
      // A rejected start leaves no run behind.
      const runs = await db.rows(sql`SELECT state FROM migration_run WHERE practice_id = ${other}`);
      expect(runs).toEqual([{ state: "reading" }]);
    }
  });

  test("two processes on one run do each piece of work once", async () => {
    const runId = await check(Array.from({ length: 30 }, (_, n) => legacyPatient(n + 1)));
    await startConverting(runId);
    const ended = await Promise.all([workRun(runId), workRun(runId)].map((work) => work.catch((error) => error)));
    for (const one of ended) expect([one.state, one.reason]).toContain(one.state ? "converted" : "already_running");
    expect(await countStores(practice.id)).toMatchObject({ patients: 30, active: 30 });
  });

  test("a stop during a conversion keeps the completed work; the run resumes, or is canceled and rolled back", async () => {
    const patients = Array.from({ length: 450 }, (_, n) => legacyPatient(n + 1));
    patients[3] = legacyPatient(4, { insurance_cards: [await legacyCard(4)] });
    const before = await readStores(practice.id);
    const stop = async (runId: number) => {
      const stopping = new AbortController();
      return workRun(runId, { signal: stopping.signal, onProgress: () => stopping.abort() });
    };
    const runId = await check(patients);
    await startConverting(runId);
    expect(await stop(runId)).toMatchObject({ state: "converting", done: 200, total: 450 });
    expect(await countStores(practice.id)).toMatchObject({ patients: 200, active: 200 });
    expect(await stop(runId)).toMatchObject({ state: "converting", done: 400 });
    const counts = async () => (await getRunTotals(runId)).states;
    expect(await counts()).toEqual({ converted: 400, checked: 50 });

    await cancelRun(requestFor(practice.id), runId);
    expect(await workRun(runId)).toMatchObject({ state: "cancelled", stopped_in: "converting" });
    expect(await countStores(practice.id)).toMatchObject({ patients: 400 });
    await expect(startConverting(runId)).rejects.toMatchObject({ reason: "run_state" });
    await expectStoresEqual(practice.id);
    await rollBack(practice.id, runId);
    expect(await counts()).toEqual({ rolled_back: 400, checked: 50 });
    expect(await readStores(practice.id)).toEqual(before);

    const again = await check(patients);
    await startConverting(again);
    await stop(again);
    expect(await workRun(again)).toMatchObject({ state: "converted" });
    expect(await countStores(practice.id)).toMatchObject({ patients: 450, active: 450, cards: 2 });
    await startRollBack(requestFor(practice.id), again);
    expect(await stop(again)).toMatchObject({ state: "rolling_back" });
    expect(await countStores(practice.id)).toMatchObject({ patients: 350 });
    expect(await workRun(again)).toMatchObject({ state: "rolled_back" });
    expect(await readStores(practice.id)).toEqual(before);
  });

  test("a run that is canceled during a batch discards the batches after it", async () => {
    // The cancellation waits for the batch that has locked the run, so a run of two batches could end before it.
    const patients = 650;
    const runId = await check(Array.from({ length: patients }, (_, n) => legacyPatient(n + 1)));
    await startConverting(runId);
    let cancelled: Promise<void> | undefined;
    const run = await workRun(runId, {
      onProgress: () => {
        cancelled ??= cancelRun(requestFor(practice.id), runId);
      },
    });
    await cancelled;
    expect(run?.state).toBe("cancelled");
    const converted = (await recordsOf(runId)).filter(({ state }) => state === "converted").length;
    expect(converted).toBeGreaterThan(0);
    expect(converted).toBeLessThan(patients);
    expect(await countStores(practice.id)).toMatchObject({ patients: converted });
  });

  test("a failed run resumes where it stopped", async () => {
    const runId = await check([legacyPatient(1)]);
    await startConverting(runId);
    await db.run(
      sql`UPDATE migration_run SET state = 'failed', stopped_in = 'converting', error = 'x' WHERE id = ${runId}`,
    );
    await expect(decide(runId, { filter: {} }, { decide: "accept" })).rejects.toMatchObject({ reason: "run_state" });
    await resumeRun(requestFor(practice.id), runId);
    expect(await workRun(runId)).toMatchObject({ state: "converted", error: null });
  });
});

describe("a failed rollback", () => {
  const PATIENTS = 150;
  /** Creates a run whose rollback failed after its first batch. */
  async function createFailedRollback(): Promise<number> {
    const runId = await check(Array.from({ length: PATIENTS }, (_, n) => legacyPatient(n + 1)));
    await convert(practice.id, runId);
    await startRollBack(requestFor(practice.id), runId);
    const stopping = new AbortController();
    const run = await workRun(runId, { signal: stopping.signal, onProgress: () => stopping.abort() });
    expect(run).toMatchObject({ state: "rolling_back", done: 100 });
    await failRun(db, { id: runId, state: "rolling_back" }, "x");
    return runId;
  }

  test("can't be canceled or resumed, and continues when the run is rolled back again", async () => {
    const before = await readStores(practice.id);
    const runId = await createFailedRollback();
    await expect(cancelRun(requestFor(practice.id), runId)).rejects.toMatchObject({
      code: "conflict",
      reason: "run_state",
      message: `Run ${runId} can't be canceled: its rollback failed partway. Roll it back again.`,
    });
    await expect(resumeRun(requestFor(practice.id), runId)).rejects.toMatchObject({ reason: "run_state" });
    await startRollBack(requestFor(practice.id), runId);
    expect(await findRun(db, runId)).toMatchObject({ state: "rolling_back", done: 100, total: PATIENTS });
    expect(await workRun(runId)).toMatchObject({ state: "rolled_back", done: PATIENTS, stopped_in: null });
    expect((await getRunTotals(runId)).states).toEqual({ rolled_back: PATIENTS });
    expect(await readStores(practice.id)).toEqual(before);
  });

  test("can be finished if an earlier release canceled it", async () => {
    const before = await readStores(practice.id);
    const runId = await createFailedRollback();
    await db.run(sql`UPDATE migration_run SET state = 'cancelled' WHERE id = ${runId}`);
    await rollBack(practice.id, runId);
    expect(await readStores(practice.id)).toEqual(before);
  });
});

describe("an outdated plan", () => {
  const current = (n: number, fields: Fields = {}) =>
    legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });

  async function patch(n: number, body: object): Promise<void> {
    const token = await tokenFor({ organizationId: practice.organization, practices: [practice.id] });
    const row = await db.first<{ id: number; patient: number }>(sql`
      SELECT policy_id AS id, patient_id AS patient FROM patient_insurance WHERE practice_id = ${practice.id} AND external_id = ${10 * n}`);
    const response = await call("PATCH", `patients/${row?.patient}/policies/${row?.id}`, { token, body });
    expect(response.status).toBe(200);
  }

  test("is not applied: the record is shown with its new plan, and the others are converted", async () => {
    await convert(practice.id, await check([1, 2, 3, 4].map((n) => current(n))));
    const runId = await check([
      current(1, { plan: "New" }),
      current(2, { plan: "New", copay: "5" }),
      current(3, { plan: "New" }),
      current(4),
      current(5),
    ]);
    expect(await statesOf(runId)).toEqual([
      ...Array(3).fill("update checked 0"),
      "unchanged checked 0",
      "create checked 0",
    ]);
    // Two now conflict with staff edits, one of which had been unchanged; one already matches the export.
    await patch(1, { member_id: "STAFF" });
    await patch(3, { plan: "New" });
    await patch(4, { member_id: "STAFF" });
    const kept = (await readStores(practice.id)).policies?.filter(({ member_id }) => member_id === "STAFF");
    await startConverting(runId);
    expect(await workRun(runId)).toMatchObject({ state: "converted" });
    expect(await statesOf(runId)).toEqual([
      "refused stale 1",
      "update converted 0",
      "unchanged stale 0",
      "refused stale 1",
      "create converted 0",
    ]);
    expect((await readStores(practice.id)).policies?.filter(({ member_id }) => member_id === "STAFF")).toEqual(kept);
    expect((await decisionsOf(runId)).map(({ number, code, decision }) => [number, code, decision])).toEqual([
      [1, "changed_here", "open"],
      [4, "changed_here", "open"],
    ]);
    expect((await getRunTotals(runId)).readiness).toEqual({ verified: 0, convertible: 2, person: 3, refused: 0 });

    await expect(startConverting(runId)).rejects.toThrow("Resolve the open errors first (2 in 2 of the records)");
    await skipErrors(practice.id, runId);
    await convert(practice.id, runId);
    const settled = [
      "refused left_out 0",
      "update converted 0",
      "unchanged converted 0",
      "refused left_out 0",
      "create converted 0",
    ];
    expect(await statesOf(runId)).toEqual(settled);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 3, different: 0 });
  });

  test("a patient that was created here in the meantime under the same ID is not created twice", async () => {
    const [one, two] = [await check([current(1), current(2)]), await check([current(1, { plan: "Other" })])];
    await convert(practice.id, two);
    await startConverting(one);
    await workRun(one);
    expect(await statesOf(one)).toEqual(["update stale 0", "create converted 0"]);
    expect(await countStores(practice.id)).toMatchObject({ patients: 2 });
  });

  test("a patient whose replication waits for staff does not block others", async () => {
    await convert(practice.id, await check([current(1), current(2)]));
    const runId = await check([current(1, { plan: "New" }), current(2, { plan: "New" })]);
    const patientId = (await recordsOf(runId)).map(({ plan }) => plan?.patient)[0] as number;
    const event = await db.first<{ id: number }>(sql`
      INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, status, created_date, next_attempt_date)
      VALUES (${patientId}, ${practice.id}, 'policies_to_patients', 'update', '[]', '{}', 'failed', now(), now()) RETURNING id`);
    await startConverting(runId);
    expect(await workRun(runId)).toMatchObject({ state: "converted", error: null });
    expect(await statesOf(runId)).toEqual(["update stale 0", "update converted 0"]);
    await db.run(sql`UPDATE replication_event SET status = 'discarded' WHERE id = ${event?.id ?? 0}`);
    await convert(practice.id, runId);
    expect(await statesOf(runId)).toEqual(["update converted 0", "update converted 0"]);
    await expectStoresAgree(patientId);
  });
});
