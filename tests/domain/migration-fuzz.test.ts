// Exports damaged at random: nothing crashes, and no insurance is archived or lost because of a damaged line.
// FUZZ_SEED=7 repeats a run.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type RankWord, toRank } from "@/lib/insurance/fields/limits";
import { readStaged } from "@/lib/migration/check/check-record";
import { decideFindings } from "@/lib/migration/check/decide";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { type KnownPatient, planPatient } from "@/lib/migration/plan/plan-patient";
import { type ReadRecord, readRecords } from "@/lib/migration/read/read-records";
import { CompanyDirectory } from "@/lib/migration/record/mapping";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { BusinessRuleError } from "@/lib/platform/errors";
import { fileSource } from "@/lib/platform/files/source";
import { Dice } from "@/prisma/seed/people";
import { seedBasics } from "../support/api";
import { damageExport } from "../support/damaged-exports";
import { GENERATED_COMPANIES, generatePatients } from "../support/generated-export";
import { expectStoresEqual, findSampleExport } from "../support/legacy-export";
import { requestFor, seedMigratingPractice } from "../support/migration-runs";
import { rounds } from "../support/rounds";

const FILES = rounds(300);
const RUNS = rounds(8);
const SEED = Number(process.env.FUZZ_SEED ?? 14);
const COMPANIES = GENERATED_COMPANIES.map(({ id, ...fields }) => ({ externalId: id, fields }));

type Fields = Record<string, unknown> & { id: number; insurances: (Record<string, unknown> & { id: number })[] };

const generated = [...generatePatients({ insurances: 24, faults: 0 })] as Fields[];
const FIELDS = ["id", "rank", "carrier", "insurance_company", "member_id", "group_id", "copay", "start_date"] as const;
const HEADINGS = ["patient_id", "first_name", "last_name", "dob", "sex", "insurance.id", ...FIELDS.slice(1)].join(",");
const rowsOf = ({ id, first_name, last_name, dob, sex, insurances }: Fields) =>
  insurances.map((one) => [id, first_name, last_name, dob, sex, ...FIELDS.map((field) => one[field])].join(","));

const ndjson = (patients: readonly object[]) => Buffer.from(patients.map((one) => `${JSON.stringify(one)}\n`).join(""));
const csv = (patients: readonly Fields[]) => Buffer.from(`${[HEADINGS, ...patients.flatMap(rowsOf)].join("\n")}\n`);
const array = (patients: readonly object[]) =>
  Buffer.from(`[\n${patients.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);

/** Reads, checks and converts a file, skipping every record with an error and accepting every fix. */
async function convertFile(
  practiceId: number,
  content: Buffer,
): Promise<{ state: string; runId: number; error: string | null }> {
  const file = path.join(process.env.CROSSWALK_DATA_DIR as string, "fuzzed");
  fs.writeFileSync(file, content);
  const source = await fileSource(file);
  const request = requestFor(practiceId);
  const run = {
    practiceId,
    name: "fuzzed",
    size: source.size,
    asOf: "2025-10-01",
    columns: null,
    companies: COMPANIES,
  };
  const runId = await createStartedRun(request, run);
  const checked = await workRun(runId, { source });
  if (checked?.state !== "checked") return { state: checked?.state ?? "gone", runId, error: checked?.error ?? null };
  const decide = async (filter: object, decision: Parameters<typeof decideFindings>[3]) =>
    decideFindings(request, runId, { filter: { decision: "open", ...filter } }, decision);
  await decide({ fix: true }, { decide: "accept" });
  // Skipping a bad past insurance may conflict with what the practice has, which adds errors to decide on.
  let left = { new_errors: 1 } as Awaited<ReturnType<typeof decide>>;
  while (left.new_errors) left = await decide({ severity: "error" }, { decide: "skip", reason: "Left out" });
  await startConversion(request, runId);
  const converted = await workRun(runId);
  return { state: converted?.state ?? "gone", runId, error: converted?.error ?? null };
}

/** Lists the IDs of current insurances by patient, as in the export. */
async function readCurrentInsurances(practiceId: number): Promise<Map<string, Set<string>>> {
  const rows = await db.rows<{ patient: string; insurance: string }>(sql`
    SELECT p.external_id::text AS patient, i.external_id::text AS insurance
    FROM patient_insurance i JOIN patient p ON p.id = i.patient_id JOIN policy o ON o.id = i.policy_id
    WHERE i.practice_id = ${practiceId} AND i.deleted_date IS NULL AND o.status = 'active'`);
  const current = new Map<string, Set<string>>();
  for (const { patient, insurance } of rows) current.set(patient, (current.get(patient) ?? new Set()).add(insurance));
  return current;
}

const FORMS = { ndjson, csv, array } as const;
const sample = findSampleExport("legacy-patients");
const samples = sample.found ? fs.readFileSync(sample.file, "utf8").split("\n").filter(Boolean).slice(0, 40) : [];

/** Damages generated patients in one of the formats, or the sample export. */
function damagedFile(dice: Dice) {
  const form = dice.pick(["ndjson", "csv", "csv", "array"] as const);
  const useSample = samples.length > 0 && form === "ndjson" && dice.roll() < 0.5;
  const content = useSample ? Buffer.from(`${samples.join("\n")}\n`) : FORMS[form](generated);
  return { form, ...damageExport(content, dice, { isTable: form === "csv" }) };
}

/** Returns a generated patient as a practice has it after a first conversion. */
function toKnownPatient({ id, first_name, last_name, dob, insurances }: Fields): KnownPatient {
  const rows = insurances.map((one) => ({
    ...one,
    rank: toRank(one.rank as RankWord),
    policy_id: one.id,
    external_id: one.id,
    deleted_date: null,
  }));
  return {
    id,
    version: 1,
    first_name,
    last_name,
    dob,
    deleted_date: null,
    insurances: rows,
    cards: new Set(),
    lastSources: new Map(rows.map((row) => [row.policy_id, "migration"])),
  } as unknown as KnownPatient;
}

const knownById = new Map(generated.map((patient) => [patient.id, toKnownPatient(patient)]));

/** Lists insurances of known patients that would be archived although the file does not say that they ended. */
function listUnexpectedArchives(read: ReadRecord): string[] {
  if ("reason" in read || read.faults) return [];
  const staged = readStaged({ raw: read.record, exact: null, refusal: null }, [], {
    asOf: "2025-10-01",
    now: new Date(),
  });
  if (!("patient" in staged)) return [];
  const planned = planPatient(staged.patient, {
    known: knownById.get(staged.patient.id) ?? null,
    companies: new CompanyDirectory(
      COMPANIES.map(({ externalId }) => [externalId, externalId] as const),
      { named: [] },
    ),
    elsewhere: new Set<number>(),
    ended: new Set<number>(),
    leftOut: new Set<number>(),
  });
  const insurances = "plan" in planned ? planned.plan.insurances : [];
  return insurances.filter(({ list, verdict }) => list === "here" && verdict === "archive").map(({ id }) => String(id));
}

test(
  `${FILES} damaged files are read without a crash, and nothing read from them would archive an insurance`,
  async () => {
    const dice = new Dice(SEED);
    const counts = { records: 0, refused: 0, rejected: 0, files: 0 };
    for (let number = 1; number <= FILES; number++) {
      const { content, form, what } = damagedFile(dice);
      const context = `file ${number} (seed ${SEED}), ${form}: ${what}`;
      const file = path.join(process.env.CROSSWALK_DATA_DIR as string, "damaged");
      fs.writeFileSync(file, content);
      try {
        for await (const read of readRecords(await fileSource(file))) {
          counts.records++;
          if ("reason" in read) counts.rejected++;
          else if (read.faults) counts.refused++;
          expect(listUnexpectedArchives(read), context).toEqual([]);
        }
      } catch (error) {
        if (!(error instanceof BusinessRuleError)) throw new Error(context, { cause: error });
        counts.files++;
      }
    }
    console.info(
      `${FILES} damaged files: ${counts.records} records, of them ${counts.rejected} unreadable and ${counts.refused} with rejected rows; ${counts.files} files refused as a whole`,
    );
    expect(counts.refused + counts.rejected).toBeGreaterThan(FILES / 4);
  },
  30_000 + FILES * 200,
);

test(
  `${RUNS} damaged files into a practice with the patients: no insurance is archived, and both stores stay equal`,
  async () => {
    const dice = new Dice(SEED);
    const { organization } = await seedBasics();
    const practiceId = await seedMigratingPractice(organization);
    expect(await convertFile(practiceId, ndjson(generated))).toMatchObject({ state: "converted" });
    const before = await readCurrentInsurances(practiceId);
    const ends: Record<string, number> = {};
    for (let number = 1; number <= RUNS; number++) {
      const { content, form, what } = damagedFile(dice);
      const context = `file ${number} (seed ${SEED}), ${form}: ${what}`;
      const { state, error } = await convertFile(practiceId, content);
      ends[state] = (ends[state] ?? 0) + 1;
      expect(["converted", "failed"], context).toContain(state);
      expect(error ?? "", context).not.toContain("failed unexpectedly");
      const now = await readCurrentInsurances(practiceId);
      const lost = [...before].flatMap(([patient, ids]) =>
        [...ids].filter((id) => !now.get(patient)?.has(id)).map((id) => `${patient} ${id}`),
      );
      // The record itself says which insurances are past (deleted_insurances); damage can't move an insurance between lists.
      expect(lost, context).toEqual([]);
      for (const [patient, ids] of now) before.set(patient, ids);
    }
    await expectStoresEqual(practiceId);
    console.info(`${RUNS} damaged files converted: ${JSON.stringify(ends)}`);
  },
  60_000 + RUNS * 20_000,
);

test(
  "a patient created from damaged rows has all insurances, or the damage is named",
  async () => {
    const dice = new Dice(SEED + 1);
    const { organization } = await seedBasics();
    const expected = new Map(
      generated.map(({ id, insurances }) => [String(id), insurances.map((one) => String(one.id))]),
    );
    for (let number = 1; number <= Math.max(3, RUNS / 4); number++) {
      const practiceId = await seedMigratingPractice(organization);
      const lines = csv(generated).toString().trimEnd().split("\n");
      const place = dice.between(1, lines.length - 1);
      const line = lines[place] as string;
      lines[place] = dice.pick([
        line.slice(0, dice.between(1, line.lastIndexOf(","))),
        line.slice(line.indexOf(",")),
        `${line.slice(0, line.indexOf(",") + 1)}"${line.slice(line.indexOf(",") + 1)}`,
        line.replace(",", "\u00a0"),
      ]);
      const { runId } = await convertFile(practiceId, Buffer.from(`${lines.join("\n")}\n`));
      const context = `file ${number} (seed ${SEED}), line ${place + 1}: ${lines[place]}`;
      for (const [patient, ids] of await readCurrentInsurances(practiceId)) {
        expect([...ids].sort(), `${context}, patient ${patient}`).toEqual([...(expected.get(patient) ?? [])].sort());
      }
      const named = await db.first<{ found: number }>(sql`
      SELECT count(*) AS found FROM migration_finding WHERE run_id = ${runId}
        AND code IN ('row_rejected', 'line_unreadable') AND message LIKE ${`Line ${place + 1} %`}`);
      expect(named?.found, context).toBeGreaterThan(0);
    }
  },
  60_000 + RUNS * 20_000,
);
