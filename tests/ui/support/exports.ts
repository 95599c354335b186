// Legacy exports for the migration assistant: the sample beside the project, and generated ones.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { GENERATED_COMPANIES, generatePatients, toLines, writeNdjson } from "@/tests/support/generated-export";
import { adminCalls } from "./demo";

interface ExportFiles {
  patients: string;
  companies: string;
}

/** Finds the damaged sample export. Returns null, with a message, if it is not beside the project. */
export function findSampleFile(): ExportFiles | null {
  const file = path.resolve(inRoot("."), "..", "shared/data/legacy-patients-damaged.ndjson");
  if (fs.existsSync(file)) return { patients: file, companies: file.replace(/ndjson$/, "companies.ndjson") };
  console.warn("the sample export is not beside the project: a generated one is used instead");
  return null;
}

/** Writes a generated export with its companies. */
export function writeExport(options: { insurances: number; faults: number }): Promise<ExportFiles> {
  return writeRecords(generatePatients(options));
}

/** Writes an export of these records, whose payers are those of generated ones. */
export async function writeRecords(records: Iterable<Record<string, unknown>>): Promise<ExportFiles> {
  // Playwright empties this folder before each run.
  const { outputDir } = test.info().project;
  fs.mkdirSync(outputDir, { recursive: true });
  const folder = fs.mkdtempSync(path.join(outputDir, "export-"));
  const patients = path.join(folder, "patients.ndjson");
  const companies = path.join(folder, "companies.ndjson");
  await writeNdjson(patients, records);
  fs.writeFileSync(companies, toLines(GENERATED_COMPANIES));
  return { patients, companies };
}

/**
 * Creates a checked run through staff calls.
 *
 * @param source the export, or the share of records with a fault in a generated one
 * @returns its ID
 */
export async function createCheckedRun(practice: number, source: number | ExportFiles = 0.5): Promise<number> {
  const files = typeof source === "number" ? writeExport({ insurances: 60, faults: source }) : source;
  const { patients, companies } = await files;
  const call = await adminCalls();
  const bytes = new Uint8Array(fs.readFileSync(patients));
  const base = `practices/${practice}/migrations`;
  const body = {
    name: "patients.ndjson",
    size: bytes.length,
    as_of: "2025-10-01",
    companies: fs.readFileSync(companies, "utf8"),
  };
  const { id } = await call("POST", base, body);
  await call("PUT", `${base}/${id}/parts/1`, bytes);
  // Another worker's run of the practice may be active.
  await expect(() => call("POST", `${base}/${id}/work`, { work: "check" })).toPass({ timeout: 60_000 });
  for (;;) {
    const { run } = await call("GET", `${base}/${id}`);
    if (run.state === "checked") return id;
    if (run.state === "failed") throw new Error(`the run failed: ${run.error}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
