import type { AuditQuery } from "@/lib/access/audit/schema";
import { type AuditPage, type AuditView, listAuditEntries } from "@/lib/access/audit/staff-queries";
import { selectClientIds } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import { selectMemberIds } from "@/lib/access/staff/member-queries";
import { selectPatientNames } from "@/lib/insurance/patients/queries";
import { selectPolicyPatients } from "@/lib/insurance/policies/queries";
import { db, type Sql, sql } from "@/lib/platform/db/sql";
import { auditTargets } from "./rules";

/** The records of a practice that the entries of a page refer to. Deleted records and those of other practices are left out. */
export interface AuditNames {
  /** Names of patients by ID. */
  patients: Record<number, string>;
  /** Patients of policies by the policy's ID. */
  policies: Record<number, number>;
  /** File names of migration runs by ID. */
  runs: Record<number, string>;
  /** IDs of the practice's members. */
  members: number[];
  /** IDs of the API clients with access to the practice. */
  clients: number[];
}

export interface NamedAuditPage extends AuditPage {
  names: AuditNames;
}

/** Selects the names of a practice's migration runs, which belong to a higher layer: `id` and `name`. */
export type SelectRunNames = (practiceId: number, ids: readonly number[]) => Sql;

/** Returns a page of a practice's entries, newest first, with the names of their records. */
export async function listNamedAuditEntries(
  access: Access,
  practiceId: number,
  { query, selectRunNames }: { query: AuditQuery; selectRunNames: SelectRunNames },
): Promise<NamedAuditPage> {
  const page = await listAuditEntries(access, practiceId, query);
  return { ...page, names: await nameRecords(practiceId, page.results, selectRunNames) };
}

interface NamedRow {
  type: keyof AuditNames;
  id: number;
  name: string | null;
  patient: number | null;
}

/** Finds the records of all entries with one statement. SQL, because it is a union over the queries of several layers. */
async function nameRecords(
  practiceId: number,
  entries: readonly AuditView[],
  selectRunNames: SelectRunNames,
): Promise<AuditNames> {
  const ids = auditTargets(entries);
  const names: AuditNames = { patients: {}, policies: {}, runs: {}, members: [], clients: [] };
  const rows = await db.rows<NamedRow>(sql`
    SELECT 'patients' AS type, id, name, NULL::bigint AS patient FROM (${selectPatientNames(practiceId, ids.patients)}) a
    UNION ALL
    SELECT 'policies', id, NULL, patient FROM (${selectPolicyPatients({ practices: [practiceId] }, ids.policies)}) b
    UNION ALL SELECT 'runs', id, name, NULL FROM (${selectRunNames(practiceId, ids.runs)}) c
    UNION ALL SELECT 'members', id, NULL, NULL FROM (${selectMemberIds(practiceId, ids.members)}) d
    UNION ALL SELECT 'clients', id, NULL, NULL FROM (${selectClientIds(practiceId, ids.clients)}) e`);
  for (const { type, id, name, patient } of rows) {
    if (type === "members" || type === "clients") names[type].push(id);
    else if (type === "policies") names.policies[id] = patient ?? 0;
    else names[type][id] = name ?? "";
  }
  return names;
}
