// npm run seed: patients in the form that commands store, and nothing after a usage error.
import { expect, test } from "vitest";
import { mintAccess } from "@/lib/access/identity/access";
import { createPolicy } from "@/lib/insurance/commands/create-policy";
import { db, sql } from "@/lib/platform/db/sql";
import { CROWD_ORIGIN } from "@/prisma/seed/crowd";
import { type MARIA, seedBasics } from "../support/api";
import { runScript } from "../support/run-script";
import { expectStoresAgree } from "../support/stores";

const PATIENTS = 60;

const count = async (statement: ReturnType<typeof sql>) =>
  (await db.first<{ count: number }>(sql`SELECT count(*) AS count FROM ${statement}`))?.count;

test("both stores agree on seeded patients, their histories replay, and commands work on them", async () => {
  const { disabled, enabled } = await seedBasics();
  const { code, stdout, stderr } = await runScript("seed.ts", [
    "--patients",
    `${PATIENTS}`,
    "--practice",
    `${enabled}`,
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/60 patients in Northside Family Medicine .*[\d,]+ rows in .* rows per second/);
  expect(await count(sql`patient WHERE practice_id = ${disabled}`)).toBe(0);

  const patients = await db.rows<{ id: number; version: number }>(sql`
    SELECT id, version FROM patient WHERE practice_id = ${enabled} ORDER BY id`);
  expect(patients).toHaveLength(PATIENTS);
  for (const { id, version } of patients) {
    await expectStoresAgree(id);
    const versions = await db.rows<{ version: number }>(
      sql`SELECT version FROM patient_version WHERE patient_id = ${id} ORDER BY version`,
    );
    expect(versions.map((row) => row.version)).toEqual(Array.from({ length: version }, (_, at) => at + 1));
  }
  expect(await count(sql`policy WHERE status = 'archived'`)).toBeGreaterThan(0);
  expect(await count(sql`published_event WHERE delivery NOT IN ('delivered', 'failed')`)).toBe(0);
  expect(
    await count(sql`published_event e WHERE attempts <> (SELECT count(*) FROM webhook_attempt a
    WHERE a.published_event_id = e.id)`),
  ).toBe(0);
  expect(await count(sql`audit_log WHERE operation = 'crowd.seed' AND cardinality(patients) = ${PATIENTS}`)).toBe(1);

  const patientId = patients[0]?.id as number;
  const named = await db.first<typeof MARIA>(sql`
    SELECT first_name AS patient_first_name, last_name AS patient_last_name, dob AS patient_dob FROM patient
    WHERE id = ${patientId}`);
  const access = mintAccess({ practices: [enabled], actor: CROWD_ORIGIN.actor });
  await createPolicy(
    { access, patientId, origin: CROWD_ORIGIN },
    { ...(named as typeof MARIA), rank: 1, carrier: "Acme" },
  );
  await expectStoresAgree(patientId);
});

test("a second run adds to the first, with the same client", async () => {
  const before = (await count(sql`patient`)) ?? 0;
  expect((await runScript("seed.ts", ["--patients", "3"])).code).toBe(0);
  expect(await count(sql`patient`)).toBe(before + 3);
  expect(await count(sql`oauth_client WHERE name = 'Seeded listener'`)).toBe(1);
});

test.concurrent.each([
  [[], "--patients is required"],
  [["--patients", "1e3"], "--patients must be a whole number from 1"],
  [["--patients", "2000000"], "--patients must be a whole number from 1"],
  [["--patients", "5", "--practice", "999999"], "--practice: No such practice."],
  [["--patients", "5", "more"], '"more" is an unexpected argument'],
  [["--pateints", "5"], "Unknown option '--pateints'"],
])("%j exits with 2 and writes nothing", async (args, says) => {
  const { code, stdout, stderr } = await runScript("seed.ts", args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(says);
});
