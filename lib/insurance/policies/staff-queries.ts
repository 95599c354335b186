import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { db, sql } from "@/lib/platform/db/sql";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { getPolicy, selectPolicies } from "./queries";
import type { PolicyRow } from "./schema";

/** The policies of a patient, and whether the practice uses Insurance Versioning. */
export interface PoliciesView {
  patient: { id: number; first_name: string; last_name: string; dob: string };
  /** The practice's Insurance Versioning switch. */
  versioning: boolean;
  /** Active policies by rank, then archived ones newest first. */
  policies: PolicyRow[];
}

/** One policy, together with the patient's active ones. */
export interface PolicyView extends PoliciesView {
  policy: PolicyRow;
}

/** @throws NotFoundError if the patient does not exist or belongs to another practice */
export async function viewPolicies(access: Access, patientId: number): Promise<PoliciesView> {
  return view(access, patientId, "all");
}

/**
 * Returns a policy for its page, with the patient, the patient's active policies and the practice's switch.
 *
 * @throws NotFoundError if it does not exist or belongs to another practice
 * @throws GoneError if it was purged
 */
export async function viewPolicy(access: Access, patientId: number, policyId: number): Promise<PolicyView> {
  const policy = await getPolicy(access, patientId, policyId);
  return { ...(await view(access, patientId, "active")), policy };
}

/** Returns the patient and the active policies, for the form of a new policy. */
export async function viewActivePolicies(access: Access, patientId: number): Promise<PoliciesView> {
  return view(access, patientId, "active");
}

async function view(access: Access, patientId: number, which: "active" | "all"): Promise<PoliciesView> {
  const { id, first_name, last_name, dob, practice_id } = await getPatient(access, patientId);
  const condition = sql`p.patient_id = ${id} AND (p.status = 'active' OR ${which === "all"})
    ORDER BY p.status, CASE WHEN p.status = 'active' THEN p.rank END NULLS LAST, p.archived_date DESC, p.id`;
  const [rules, policies] = await Promise.all([getPracticeRules(db, practice_id), selectPolicies(db, condition)]);
  return {
    patient: { id, first_name, last_name, dob },
    versioning: rules.insuranceVersioningEnabled,
    policies,
  };
}
