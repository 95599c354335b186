import type { Tx } from "@/lib/db/transaction";
import { deleteRecord, lockRecord } from "@/lib/history/commands";
import type { Origin } from "@/lib/history/origin";
import { mintAccess } from "@/lib/oauth/access";
import { COMPANIES } from "./import-companies";

/** Deletes those of these companies that nobody has changed since they were made. */
export async function retireCompanies(
  tx: Tx,
  practiceId: number,
  ids: readonly number[],
  origin: Origin,
): Promise<void> {
  const access = mintAccess({ practices: [practiceId], actor: origin.actor });
  for (const id of ids) {
    const company = await lockRecord(tx, COMPANIES, { access, id, ifMatch: null, origin });
    if (company.version === 1) await deleteRecord(tx, COMPANIES, company, origin);
  }
}
