// What every practice of the demo reads: languages, medications, pharmacies, vaccines, companies. Loaded as files are.

import { ancillaryCompanies } from "@/lib/records/catalog/orders/ancillary-orders";
import { vaccine } from "@/lib/records/catalog/patient-profile/vaccine";
import { languages } from "@/lib/records/catalog/reference-data/languages";
import { packagedMedicationLabelers } from "@/lib/records/catalog/reference-data/packaged-medication-labelers";
import { packagedMedications } from "@/lib/records/catalog/reference-data/packaged-medications";
import { pharmacies } from "@/lib/records/catalog/reference-data/pharmacies";
import { referenceMedications } from "@/lib/records/catalog/reference-data/reference-medications";
import { type LoadReport, loadRecords } from "@/lib/records/engine/load-commands";
import { toFileRows } from "@/lib/records/engine/load-rows";
import type { Resource } from "@/lib/records/engine/schema";
import { LANGUAGES } from "./languages";
import { inventMedications } from "./medications";
import { ANCILLARY_COMPANIES, inventPharmacies } from "./pharmacies";
import { VACCINES } from "./vaccines";

const REFERRED_TO = [packagedMedicationLabelers, referenceMedications];

/** Loads the made-up set, which is the same every time: a second run changes nothing. Gives what it came to, by resource. */
export async function seedReferenceData(): Promise<Record<string, LoadReport>> {
  const { labelers, references, packages } = inventMedications();
  const sets: [Resource, readonly unknown[]][] = [
    [languages, LANGUAGES.map((name) => ({ name }))],
    [packagedMedicationLabelers, labelers],
    [referenceMedications, references],
    [packagedMedications, packages],
    [pharmacies, inventPharmacies()],
    [vaccine, VACCINES],
    [ancillaryCompanies, ANCILLARY_COMPANIES],
  ];
  const reports: Record<string, LoadReport> = {};
  for (const [resource, rows] of sets) reports[resource.name] = await loadRows(resource, rows, null);
  return reports;
}

/**
 * Loads rows that are at hand, all or nothing.
 *
 * @param practiceId null for what is everybody's
 * @throws Error where a row is rejected: ours are right
 */
export async function loadRows(
  resource: Resource,
  rows: readonly unknown[],
  practiceId: number | null,
): Promise<LoadReport> {
  const report = await loadRecords({
    resource,
    practiceId,
    rows: () => toFileRows(rows),
    from: "the demo",
    allOrNothing: true,
    declarations: new Map(REFERRED_TO.map((declared) => [declared.name, declared])),
  });
  const [rejected] = report.rejections;
  if (rejected) throw new Error(`${resource.name} ${rejected.line}: ${rejected.reason}`);
  return report;
}
