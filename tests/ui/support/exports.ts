// Legacy exports for the migration assistant: the sample that lies beside the project, and made-up ones.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { GENERATED_COMPANIES, generatePatients, writeNdjson } from "@/tests/support/generated-export";

interface ExportFiles {
  patients: string;
  companies: string;
}

/** The damaged sample export; null, saying so, where it is not beside the project. */
export function findSampleFile(): ExportFiles | null {
  const file = path.resolve(inRoot("."), "..", "shared/data/legacy-patients-damaged.ndjson");
  if (fs.existsSync(file)) return { patients: file, companies: file.replace(/ndjson$/, "companies.ndjson") };
  console.warn("the sample export is not beside the project: a made-up one stands in for it");
  return null;
}

/** Writes a made-up export with its companies. */
export async function writeExport(options: { insurances: number; faults: number }): Promise<ExportFiles> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "export-"));
  const patients = path.join(folder, "patients.ndjson");
  const companies = path.join(folder, "companies.ndjson");
  await writeNdjson(patients, generatePatients(options));
  fs.writeFileSync(companies, GENERATED_COMPANIES.map((company) => `${JSON.stringify(company)}\n`).join(""));
  return { patients, companies };
}
