import { listPolicyUse, listStaffClients, type StaffClient, type UseCount } from "@/lib/access/clients/staff-queries";
import { listRecordChanges, type RecordChange } from "@/lib/access/history/queries";
import type { Access } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { db, inList, sql } from "@/lib/platform/db/sql";

const CHANGES = 50;
const NONE = { days_7: 0, days_30: 0 };

/** A client with its use of legacy insurances and of policies. */
export interface ClientView extends StaffClient {
  legacy: Omit<UseCount, "client_id">;
  policy: Omit<UseCount, "client_id">;
}

/** Lists the clients of the caller's practices with their progress of migration, and the changes of their settings. */
export async function viewClients(access: Access): Promise<{ clients: ClientView[]; changes: RecordChange[] }> {
  const [clients, legacy, policy, changes] = await Promise.all([
    listStaffClients(access),
    countLegacyCalls(access),
    listPolicyUse(access),
    listRecordChanges(access, { type: "oauth_client", limit: CHANGES }),
  ]);
  const use = (counts: UseCount[], id: number) => {
    const { days_7, days_30 } = counts.find(({ client_id }) => client_id === id) ?? NONE;
    return { days_7, days_30 };
  };
  return {
    clients: clients.map((client) => ({ ...client, legacy: use(legacy, client.id), policy: use(policy, client.id) })),
    changes,
  };
}

/** Counts reads and writes of legacy insurances of the caller's practices, by client. */
async function countLegacyCalls(access: Access): Promise<UseCount[]> {
  const since = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
  return db.rows<UseCount>(sql`
    SELECT client_id, coalesce(sum(reads + writes) FILTER (WHERE day > ${since(7)}::date), 0)::bigint AS days_7,
      sum(reads + writes)::bigint AS days_30
    FROM legacy_usage WHERE ${inList(sql`practice_id`, access.practices)} AND day > ${since(30)}::date
    GROUP BY client_id`);
}
