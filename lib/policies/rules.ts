import { BusinessRuleError } from "@/lib/errors";
import { sameName } from "@/lib/insurance/rules";
import type { PatientIdentity } from "@/lib/sync/changes";

interface SentIdentity {
  patient_first_name?: string | undefined;
  patient_last_name?: string | undefined;
  patient_dob?: string | undefined;
}

/**
 * A policy write names the patient it means; one that means another is a safety hazard and is refused (design §5).
 * Names match without regard to case, accents and outer space; a field that is not sent is not compared.
 *
 * @throws BusinessRuleError patient_mismatch (422), naming the fields but never the patient's own data
 */
export function requireSamePatient(sent: SentIdentity, patient: PatientIdentity): void {
  const wrong: string[] = [];
  const { patient_first_name: first, patient_last_name: last, patient_dob: dob } = sent;
  if (first !== undefined && !sameName(first, patient.first_name)) wrong.push("patient_first_name");
  if (last !== undefined && !sameName(last, patient.last_name)) wrong.push("patient_last_name");
  if (dob !== undefined && dob !== patient.dob) wrong.push("patient_dob");
  if (wrong.length > 0) {
    throw new BusinessRuleError("patient_mismatch", `Not this patient: ${wrong.join(", ")} differ from the record.`);
  }
}

/** The lowest image rank that is free, front first; null where all nine are taken. */
export function nextImageRank(taken: readonly number[]): number | null {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].find((rank) => !taken.includes(rank)) ?? null;
}
