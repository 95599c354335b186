// Imports patients from an older system with decades of history.

import { createHash } from "node:crypto";
import { systemOrigin } from "@/lib/access/identity/access";
import { importPatients } from "@/lib/insurance/commands/import-patients";
import { type InsuranceFields, pickInsurance } from "@/lib/insurance/fields/fields";
import type { InsuranceToImport, PatientToImport } from "@/lib/insurance/patients/rules";
import { transaction } from "@/lib/platform/db/transaction";
import { inventContract, type SeededCompany } from "./chart";
import { Dice, inventPerson } from "./people";

const ORIGIN = systemOrigin({ name: "Legacy import", source: "migration", operation: "migration.import" });

/** Imports `count` patients with one current insurance and several past ones each. */
export async function seedImported(
  practice: { id: number; physicians: readonly number[]; companies: readonly SeededCompany[] },
  options: { count: number; seed: number; age: { from: number; to: number }; now: string },
): Promise<void> {
  const dice = new Dice(options.seed);
  const patients = Array.from({ length: options.count }, (_, at): PatientToImport => {
    const externalId = 7_000_000 + options.seed * 1_000 + at;
    const demographics = { ...inventPerson(dice, options.age), primary_physician: dice.pick(practice.physicians) };
    const { first_name, last_name, dob, sex } = demographics;
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([first_name, last_name, dob, sex, at]))
      .digest("hex");
    const insurances = inventPast(dice, practice.companies, externalId, Math.max(Number(dob.slice(0, 4)), 1996));
    return {
      externalId,
      fingerprint,
      demographics,
      createdDate: insurances[0]?.createdDate ?? options.now,
      insurances,
      cards: [],
    };
  });
  await transaction(async (tx) => {
    await importPatients(tx, patients, { practiceId: practice.id, now: options.now, origin: ORIGIN });
  });
}

function inventPast(
  dice: Dice,
  companies: readonly SeededCompany[],
  patient: number,
  firstYear: number,
): InsuranceToImport[] {
  const insurances: InsuranceToImport[] = [];
  let year = firstYear;
  while (year <= 2022) {
    const last = year + dice.between(2, 7);
    const isCurrent = last > 2022;
    const { fields } = inventContract(dice, companies, `${year}-01-01`);
    const end_date = isCurrent ? null : `${last - 1}-12-31`;
    insurances.push({
      externalId: patient * 100 + insurances.length,
      rank: 1,
      fields: pickInsurance({ ...(fields as Partial<InsuranceFields>), end_date }),
      createdDate: `${year}-01-03T15:00:00.000Z`,
      deletedDate: isCurrent ? null : `${last - 1}-12-31T15:00:00.000Z`,
    });
    year = last;
  }
  return insurances;
}
