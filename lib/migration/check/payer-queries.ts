import type { Access } from "@/lib/access/identity/access";
import type { KnownCompany } from "@/lib/migration/record/mapping";
import { getRun } from "@/lib/migration/runs/queries";
import { findCompanies } from "./check-run";

/** Maximum number of choices. Typing more letters narrows them. */
const MAX_CHOICES = 30;

/**
 * Finds payers of a run, those of the practice and of the export, whose name contains a string. IDs are those of the export; null if
 * the name alone identifies the payer, or several share it.
 *
 * @throws NotFoundError if the caller has no such run
 */
export async function searchRunPayers(access: Access, runId: number, search: string): Promise<KnownCompany[]> {
  const text = search.trim().toLowerCase();
  const { names } = await findCompanies(await getRun(access, runId));
  const found = [...names]
    .filter(([name]) => name.includes(text))
    .sort(([a], [b]) => rank(a, text) - rank(b, text) || a.localeCompare(b));
  return found.slice(0, MAX_CHOICES).flatMap(([, [company, ...namesakes]]) => {
    if (!company) return [];
    return { carrier: company.carrier, id: namesakes.length > 0 ? null : company.id };
  });
}

/** Sorts names that begin with the text before those that contain it. */
const rank = (name: string, text: string) => (name.startsWith(text) ? 0 : 1);
