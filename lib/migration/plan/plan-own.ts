import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { PolicyWithVersion } from "@/lib/insurance/policies/migration-queries";
import type { InsurancePlan, Planned } from "@/lib/migration/plan/plan-patient";
import { compareStores, type Difference, type StoredPatient } from "./compare-stores";

/**
 * Plans a patient whose legacy records are the practice's own: the conversion reconciles the policies with them.
 *
 * @param stored the patient in both stores; null if it was deleted
 */
export function planOwn(stored: StoredPatient | null): Planned {
  if (!stored || stored.deleted_date !== null) {
    return {
      problems: [
        {
          code: "patient_deleted_here",
          list: null,
          position: null,
          insurance: null,
          message: "The patient was deleted.",
        },
      ],
    };
  }
  const differences = compareStores(stored).filter(({ between }) => between.includes("legacy"));
  const policies = new Map(stored.policies.map((policy) => [policy.id, policy]));
  const isCurrent = ({ deleted_date }: InsuranceRow) => deleted_date === null;
  const plan = (list: InsurancePlan["list"]) => (row: InsuranceRow, position: number) =>
    planned(row, { list, position }, policies.get(row.policy_id), differences);
  const current = stored.insurances.filter(isCurrent).map(plan("insurances"));
  const past = stored.insurances.filter((row) => !isCurrent(row)).map(plan("deleted_insurances"));
  const paired = new Set(stored.insurances.map(({ policy_id }) => policy_id));
  const here = stored.policies
    .filter(({ id, status, rank }) => status === "active" && rank !== null && !paired.has(id))
    .map(({ patient_insurance: id, rank }, position): InsurancePlan => {
      return { list: "here", position, id, rank: rank ?? 1, verdict: "archive", row: null, changes: [] };
    });
  const insurances = [...current, ...past, ...here];
  const verdicts = new Set(insurances.map(({ verdict }) => verdict));
  const isChanged = verdicts.has("create") || verdicts.has("update") || differences.length > 0;
  const verdict = isChanged ? "update" : verdicts.has("archive") ? "archive" : "unchanged";
  return { plan: { verdict, patient: stored.id, version: stored.version, insurances } };
}

function planned(
  row: InsuranceRow,
  { list, position }: Pick<InsurancePlan, "list" | "position">,
  policy: PolicyWithVersion | undefined,
  differences: readonly Difference[],
): InsurancePlan {
  const ofPolicy = differences.filter(({ where }) => where === `policy ${row.policy_id}`);
  const changes = [...new Set(ofPolicy.map(({ field }) => field))];
  const verdict = (): InsurancePlan["verdict"] => {
    if (list === "insurances") return policy ? (changes.length > 0 ? "update" : "unchanged") : "create";
    if (!policy || policy.status === "active") return "archive";
    return changes.length > 0 ? "update" : "unchanged";
  };
  return {
    list,
    position,
    id: row.id,
    rank: row.rank,
    verdict: verdict(),
    row: row.id,
    changes: policy ? changes : [],
  };
}
