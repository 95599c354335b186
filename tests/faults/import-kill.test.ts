// An import is killed (SIGKILL) at random moments; what is there is whole, and running it again completes it.
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { seedBasics } from "../support/api";
import {
  COMPANIES,
  countStores,
  expectImagesComplete,
  expectStoresEqual,
  legacyCard,
  legacyPatient,
  writeLines,
} from "../support/legacy-export";
import { programOf } from "../support/programs";
import { expectInStep } from "../support/sides";

const PATIENTS = 1500;
const KILLS = 3;

function startImport(args: string[]) {
  const child = spawn(process.execPath, [programOf("import.ts"), ...args], {
    env: process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, exited, output: () => output };
}

async function linesDone(): Promise<number> {
  const row = await db.first<{ done: number }>(sql`SELECT coalesce(max(lines_done), 0) AS done FROM import_run`);
  return row?.done ?? 0;
}

test(`killed ${KILLS} times, then completed`, async () => {
  const { enabled: practiceId } = await seedBasics();
  const lines = await Promise.all(
    Array.from({ length: PATIENTS }, async (_, n) =>
      legacyPatient(n + 1, n % 10 === 0 ? { insurance_cards: [await legacyCard(n)] } : n === 7 ? { dob: "?" } : {}),
    ),
  );
  const file = writeLines("patients.ndjson", lines);
  const args = [
    file,
    "--companies",
    writeLines("companies.ndjson", COMPANIES),
    "--practice",
    String(practiceId),
    "--json",
  ];

  for (let round = 0; round < KILLS; round++) {
    const before = await linesDone();
    const { child, exited, output } = startImport(args);
    const deadline = Date.now() + 30_000;
    while ((await linesDone()) === before && child.exitCode === null && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    child.kill("SIGKILL");
    expect(await exited, output()).toBe(null);
    // The last batch may still be on its way to a commit the process did not live to see.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const done = await linesDone();
    expect(done).toBeGreaterThan(before);
    expect(done).toBeLessThan(PATIENTS);
    const refused = done > 7 ? 1 : 0;
    const expected = { patients: done - refused, active: done - refused, archived: 2 * (done - refused) };
    expect(await countStores(practiceId)).toMatchObject(expected);
    await expectStoresEqual(practiceId);
  }

  const last = startImport(args);
  expect(await last.exited, last.output()).toBe(1);
  const report = JSON.parse(last.output());
  const created = PATIENTS - 1;
  expect(report).toMatchObject({ read: PATIENTS, created, unchanged: 0, refused: 1, finished: true });
  expect(report).toMatchObject({ active_policies: created, archived_policies: 2 * created, card_images: PATIENTS / 5 });
  expect(report.resumed_after_line).toBeGreaterThan(0);
  expect(report.refusals).toEqual([{ line: 8, reason: "patient_dob_invalid: dob: not a valid date (YYYY-MM-DD)" }]);
  expect(report.peak_memory_mib).toBeLessThan(400);
  const stored = { patients: created, active: created, archived: 2 * created, current: created, past: 2 * created };
  expect(await countStores(practiceId)).toEqual({ ...stored, cards: PATIENTS / 5 });
  await expectStoresEqual(practiceId);
  await expectImagesComplete();
  const some = await db.rows<{ id: number }>(
    sql`SELECT id FROM patient WHERE practice_id = ${practiceId} AND external_id % 100 = 0`,
  );
  for (const { id } of some) await expectInStep(id);
}, 180_000);
