import type { PolicyEffect } from "@/lib/access/endpoints/policy-effect";
import type { Access, Origin } from "@/lib/access/identity/access";
import { updatePatient } from "@/lib/insurance/commands/write-patient";
import { getPatient } from "@/lib/insurance/patients/queries";
import { type InsuranceRow, type PatientPatch, patientPatch } from "@/lib/insurance/patients/schema";
import { listInsurances } from "@/lib/insurance/patients/store";
import { db } from "@/lib/platform/db/sql";
import { withAssumption } from "@/lib/platform/db/transaction";
import { BusinessRuleError, DomainError, OverloadedError, ValidationError } from "@/lib/platform/errors";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { type AssumedRules, assumeRules } from "@/lib/practice/practices/commands";
import { equivalentCalls, type PolicyCall } from "./equivalent-calls";

/** What a write does to one legacy record. */
export interface LegacyEffect {
  id: number;
  rank: number;
  carrier: string | null;
  kind: "created" | "updated" | "unchanged" | "ended";
}

/** What a legacy write does under one setting. */
export interface Scenario extends AssumedRules {
  /** Why the write is rejected; null if it succeeds. */
  refused: { code: string; message: string } | null;
  legacy: LegacyEffect[];
  policies: PolicyEffect[];
}

export interface WhatWouldHappen {
  patient: { id: number; name: string };
  /** As the practice is set now. */
  scenarios: Scenario[];
  /** The policy calls that replace the write. */
  calls: PolicyCall[];
}

const SETTINGS: readonly AssumedRules[] = [
  { versioning: false, deadline: "before" },
  { versioning: true, deadline: "before" },
  { versioning: false, deadline: "after" },
  { versioning: true, deadline: "after" },
];

/**
 * Rehearses a legacy write on a patient with Insurance Versioning on and off, before and after the deadline. Each rehearsal
 * runs the code of the write in a transaction that is rolled back (invariant 5).
 *
 * @throws NotFoundError if the caller has no such patient
 * @throws ValidationError if the body is invalid, nested like the body
 */
export async function whatWouldHappen(
  { access, origin }: { access: Access; origin: Origin },
  patientId: number,
  sent: unknown,
): Promise<WhatWouldHappen> {
  const patient = await getPatient(access, patientId);
  const input = parseOrThrow(patientPatch, sent);
  const before = await listInsurances(db, [patientId]);
  const scenarios: Scenario[] = [];
  for (const setting of SETTINGS) {
    scenarios.push(
      await rehearse({ access, origin }, { patientId, practiceId: patient.practice_id, input, before }, setting),
    );
  }
  const current = before.filter(({ deleted_date }) => deleted_date === null);
  return {
    patient: { id: patient.id, name: `${patient.last_name}, ${patient.first_name}` },
    scenarios,
    calls: input.insurances === undefined ? [] : equivalentCalls(patient, current, input.insurances),
  };
}

async function rehearse(
  { access, origin }: { access: Access; origin: Origin },
  write: { patientId: number; practiceId: number; input: PatientPatch; before: readonly InsuranceRow[] },
  setting: AssumedRules,
): Promise<Scenario> {
  const { patientId, practiceId, input, before } = write;
  const request = { access, patientId, origin, dryRun: true };
  try {
    const { result, effects } = await withAssumption(
      (tx) => assumeRules(tx, practiceId, setting),
      () => updatePatient(request, input, null),
    );
    return { ...setting, refused: null, legacy: legacyEffects(before, result.insurances), policies: effects };
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof OverloadedError) throw error;
    return { ...setting, refused: describeRejection(error), legacy: [], policies: [] };
  }
}

function describeRejection(error: DomainError): { code: string; message: string } {
  if (error instanceof ValidationError) return { code: "400", message: JSON.stringify(error.fields) };
  return { code: error instanceof BusinessRuleError ? "422" : "409", message: error.message };
}

function legacyEffects(before: readonly InsuranceRow[], after: readonly InsuranceRow[] | null): LegacyEffect[] {
  // After the deadline, legacy insurances are neither shown nor changed.
  if (after === null) return [];
  const earlier = new Map(before.map((row) => [row.id, row]));
  return after.flatMap((row): LegacyEffect[] => {
    const was = earlier.get(row.id);
    if (was && was.deleted_date !== null) return [];
    const { id, rank, carrier, deleted_date } = row;
    const isSame = JSON.stringify(was) === JSON.stringify(row);
    const kind = deleted_date !== null ? "ended" : !was ? "created" : isSame ? "unchanged" : "updated";
    return [{ id, rank, carrier, kind }];
  });
}
