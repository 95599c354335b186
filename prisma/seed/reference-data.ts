// Loads the reference data of all practices: languages, medications, pharmacies, vaccines and companies.

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

/** Loads the made-up data. It is always the same, so a second run changes nothing. Returns the counts by resource. */
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
 * Loads all rows or, if one is rejected, none.
 *
 * @param practiceId null for every practice
 * @throws Error if a row is rejected
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
