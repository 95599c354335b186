// A conversion that runs while parts of a cluster fail.
import fs from "node:fs";
import { expect } from "vitest";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { findRun } from "@/lib/migration/runs/queries";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { db, sql } from "@/lib/platform/db/sql";
import { COMPANIES, expectStoresEqual, legacyCard, legacyPatient, writeLines } from "../legacy-export";
import { acceptFixes, createCheckedRun, requestFor, seedMigratingPractice } from "../migration-runs";
import { compareFacts } from "./checks";
import { type ExportedPatient, listConverted, listExported } from "./converted";

const DONE_MS = 60_000;
/** One in this many patients has a card image. */
const CARDS_EVERY = 20;

export interface Conversion {
  practice: number;
  /** How many it converts. */
  patients: number;
  start: () => Promise<void>;
  /** Returns how many records are converted, and whether some are left. */
  progress: () => Promise<{ converted: number; isConverting: boolean }>;
  /** Waits for the workers to finish it, verifies its result, and compares this with the export. */
  finish: () => Promise<void>;
}

/** Checks an export of new patients for a new practice, so that a conversion can start. */
export async function prepareConversion(organization: number, patients: number): Promise<Conversion> {
  const practice = await seedMigratingPractice(organization);
  const request = requestFor(practice);
  fs.mkdirSync(process.env.CROSSWALK_DATA_DIR as string, { recursive: true });
  const lines = await Promise.all(
    Array.from({ length: patients }, async (_, at) =>
      legacyPatient(at + 1, at % CARDS_EVERY === 0 ? { insurance_cards: [await legacyCard(at)] } : {}),
    ),
  );
  const file = writeLines("conversion.ndjson", lines);
  // A copy as the file has it: the conversion must not be compared with what it could have changed.
  const exported = listExported(lines.map((line): ExportedPatient => JSON.parse(JSON.stringify(line))));
  const runId = await createCheckedRun(practice, file, { companies: writeLines("companies.ndjson", COMPANIES) });
  await acceptFixes(practice, runId);
  const untilState = (state: string) =>
    expect.poll(async () => (await findRun(db, runId))?.state, { timeout: DONE_MS, interval: 200 }).toBe(state);
  return {
    practice,
    patients,
    start: () => startConversion(request, runId),
    progress: async () => {
      const { converted } = await db.one<{ converted: number }>(sql`
        SELECT count(*) AS converted FROM migration_record WHERE run_id = ${runId} AND state = 'converted'`);
      return { converted, isConverting: (await findRun(db, runId))?.state === "converting" };
    },
    finish: async () => {
      await untilState("converted");
      await startVerification(request, runId);
      await untilState("verified");
      const verification = (await findRun(db, runId))?.verification;
      expect(verification).toMatchObject({ records: patients, changed_since: 0, different: 0 });
      await expectStoresEqual(practice);
      expect(compareFacts(exported, await listConverted(practice)), "converted patients").toEqual([]);
    },
  };
}
