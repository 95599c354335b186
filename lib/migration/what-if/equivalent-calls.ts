import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { toRank } from "@/lib/insurance/fields/limits";
import type { InsuranceInput, InsuranceRow } from "@/lib/insurance/patients/schema";

/** A call of the policy endpoints. */
export interface PolicyCall {
  method: "POST" | "PATCH" | "DELETE";
  /** The path on the server. */
  path: string;
  body: Record<string, unknown> | null;
  /** Advice for the client, if any. */
  note: string | null;
}

interface Patient {
  id: number;
  first_name: string;
  last_name: string;
  dob: string;
}

/**
 * Returns the policy calls that have the same effect as a legacy `insurances` array with Insurance Versioning enabled
 * (specification, States and transitions). An entry with an ID becomes a PATCH and one without a POST. Missing insurances
 * are archived by a DELETE.
 */
export function equivalentCalls(
  patient: Patient,
  current: readonly InsuranceRow[],
  entries: readonly InsuranceInput[],
): PolicyCall[] {
  const base = `/api/2.0/patients/${patient.id}/policies`;
  const kept = new Set(entries.flatMap(({ id }) => (id ? [id] : [])));
  const taken = new Set(entries.filter(({ id }) => !id).map(({ rank }) => toRank(rank)));
  const gone = current.filter(({ id }) => !kept.has(id));
  // A new policy archives the one whose rank it takes, without a DELETE.
  const archived = gone.filter(({ rank }) => !taken.has(rank));
  const deletes = archived.map(
    ({ policy_id }): PolicyCall => ({ method: "DELETE", path: `${base}/${policy_id}`, body: null, note: null }),
  );
  const writes = entries.flatMap((entry): PolicyCall[] => {
    const before = entry.id ? current.find(({ id }) => id === entry.id) : undefined;
    if (entry.id && !before) return [];
    return before ? patch(base, before, entry) : [post(base, patient, entry, gone)];
  });
  return [...deletes, ...writes];
}

function patch(base: string, before: InsuranceRow, entry: InsuranceInput): PolicyCall[] {
  const fields = INSURANCE_FIELDS.filter((field) => entry[field] !== undefined && entry[field] !== before[field]);
  const rank = toRank(entry.rank);
  const body = {
    ...(rank === before.rank ? {} : { rank }),
    ...Object.fromEntries(fields.map((field) => [field, entry[field]])),
  };
  if (Object.keys(body).length === 0) return [];
  return [
    { method: "PATCH", path: `${base}/${before.policy_id}`, body, note: "Send If-Match with the version you read." },
  ];
}

function post(base: string, patient: Patient, entry: InsuranceInput, gone: readonly InsuranceRow[]): PolicyCall {
  const rank = toRank(entry.rank);
  const given = INSURANCE_FIELDS.filter((field) => entry[field] !== undefined && entry[field] !== null);
  const previous = gone.find((row) => row.rank === rank);
  return {
    method: "POST",
    path: base,
    body: {
      patient_first_name: patient.first_name,
      patient_last_name: patient.last_name,
      patient_dob: patient.dob,
      rank,
      ...Object.fromEntries(given.map((field) => [field, entry[field]])),
    },
    note: previous
      ? `This call archives policy ${previous.policy_id}. If it is the same insurance, PATCH that policy instead, which keeps its card images and version history.`
      : null,
  };
}
