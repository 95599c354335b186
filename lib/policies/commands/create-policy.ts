import { ValidationError } from "@/lib/errors";
import { pickInsurance } from "@/lib/insurance/fields";
import type { PolicyInput } from "@/lib/insurance/policy-fields";
import { findReferenceProblems } from "@/lib/insurers/queries";
import { allocateInsuranceIds } from "@/lib/patients/commands/rows";
import { type Outcome, type WriteRequest, writePatient } from "@/lib/sync/write";
import { newPolicy, requireSamePatient } from "../rules";
import type { PolicyRow, RankHolder } from "../schema";
import { allocatePolicyIds } from "./allocate";
import { PolicyLedger } from "./ledger";

/**
 * Creates an active policy (specification, state table row 1). Whoever holds its rank is archived as superseded.
 *
 * @param seen who the author saw at that rank; left out, whoever it is makes way
 * @throws DomainError rank_holder_changed
 * @throws ValidationError a reference or a combination of fields that can't be
 * @throws BusinessRuleError patient_mismatch
 */
export async function createPolicy(
  request: WriteRequest,
  input: PolicyInput,
  seen?: RankHolder,
): Promise<Outcome<PolicyRow>> {
  return writePatient(request, "policies_to_patients", async (unit) => {
    requireSamePatient(input, unit.patient);
    const fields = pickInsurance(input);
    const problems = await findReferenceProblems(unit.tx, unit.patient.practice_id, fields);
    if (problems) throw new ValidationError(problems);
    const ledger = await PolicyLedger.open(unit);
    const [id = 0] = await allocatePolicyIds(unit.tx, 1);
    const [patientInsurance = 0] = await allocateInsuranceIds(unit.tx, 1);
    const rank = input.rank ?? null;
    ledger.supersede(rank, id, seen);
    const { now } = unit;
    ledger.add(newPolicy(unit.patient, { id, patientInsurance, rank, fields, createdDate: now, modifiedDate: now }));
    ledger.requireSound(id);
    const changes = await ledger.flush();
    const payload = { direction: "policies_to_patients" as const, kind: "create" as const, changes };
    return { result: await ledger.get(id), payload };
  });
}
