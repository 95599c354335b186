import { clientNameOf } from "@/lib/access/clients/queries";
import { listPolicyUse, listStaffClients, type StaffClient, type UseCount } from "@/lib/access/clients/staff-queries";
import { listRecordChanges, type RecordChange } from "@/lib/access/history/queries";
import type { Access } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { legacyInsurancesEnded } from "./rules";

/** The details of a practice that every staff page needs. */
export type PracticeName = Row<"practice", "id" | "name" | "timezone"> & { versioning: boolean };

/** Lists the practices a user belongs to, by name. */
export async function listPracticeNames(access: Access): Promise<PracticeName[]> {
  return db.rows(
    kysely
      .selectFrom("practice")
      .select(["id", "name", "timezone", "insurance_versioning_enabled as versioning"])
      .where("id", "=", anyOf(access.practices))
      .orderBy((practice) => practice.fn("lower", ["name"]))
      .orderBy("id"),
  );
}

/** The settings of a practice on staff pages. */
export type PracticeSettings = Row<"practice", (typeof SETTINGS_COLUMNS)[number]>;

/** The settings of a practice, the clients that still use legacy insurances, and earlier changes to the settings. */
export interface SettingsPage {
  settings: PracticeSettings;
  /** Whether the deadline is enforced: legacy insurances are rejected in requests and omitted from responses. */
  ended: boolean;
  users: LegacyUser[];
  changes: RecordChange[];
}

/** A client's use of the legacy insurances of a practice in the last 30 days. */
export type LegacyUser = Row<"legacy_usage", "client_id" | "reads" | "writes"> & { client_name: string };

const CHANGES = 50;
const SETTINGS = [
  "insurance_versioning_enabled",
  "deprecation_date",
  "deprecation_mode",
  "rehearsal_time",
  "rejects_duplicate_patients",
] as const;
const SETTINGS_COLUMNS = ["id", "name", "timezone", "version", ...SETTINGS] as const;

/** @throws NotFoundError if the caller has no access to the practice */
export async function getSettingsPage(access: Access, practiceId: number): Promise<SettingsPage> {
  if (!access.practices.includes(practiceId)) throw new NotFoundError("practice");
  const [settings, users, changes] = await Promise.all([
    getSettings(practiceId),
    listLegacyUsers(practiceId),
    listRecordChanges(access, { type: "practice", fields: SETTINGS, limit: CHANGES }),
  ]);
  return { settings, ended: isEnded(settings), users, changes };
}

async function getSettings(practiceId: number): Promise<PracticeSettings> {
  const row = await db.first(kysely.selectFrom("practice").select(SETTINGS_COLUMNS).where("id", "=", practiceId));
  if (!row) throw new NotFoundError("practice");
  return row;
}

function isEnded({ deprecation_date, deprecation_mode, rehearsal_time }: PracticeSettings): boolean {
  return legacyInsurancesEnded({
    deprecationDate: deprecation_date,
    deprecationMode: deprecation_mode,
    now: rehearsal_time ? new Date(rehearsal_time) : clock.now(),
  });
}

async function listLegacyUsers(practiceId: number): Promise<LegacyUser[]> {
  const since = new Date(clock.now().getTime() - 30 * 86_400_000).toISOString().slice(0, 10);
  return db.rows<LegacyUser>(sql`
    SELECT u.client_id, ${clientNameOf(sql`u.client_id`)} AS client_name, sum(u.reads)::bigint AS reads,
      sum(u.writes)::bigint AS writes
    FROM legacy_usage u WHERE u.practice_id = ${practiceId} AND u.day > ${since}::date
    GROUP BY u.client_id ORDER BY sum(u.writes) DESC, sum(u.reads) DESC, u.client_id`);
}

const NONE = { days_7: 0, days_30: 0 };

/** A client with its use of legacy insurances and of policies. */
export interface ClientView extends StaffClient {
  legacy: Omit<UseCount, "client_id">;
  policy: Omit<UseCount, "client_id">;
}

/** Lists the clients of the caller's practices with their migration progress, and the changes to client settings. */
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

/** Counts each client's calls to the legacy insurances of the caller's practices. */
async function countLegacyCalls(access: Access): Promise<UseCount[]> {
  const since = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
  return db.rows<UseCount>(sql`
    SELECT client_id, coalesce(sum(reads + writes) FILTER (WHERE day > ${since(7)}::date), 0)::bigint AS days_7,
      sum(reads + writes)::bigint AS days_30
    FROM legacy_usage WHERE ${inList(sql`practice_id`, access.practices)} AND day > ${since(30)}::date
    GROUP BY client_id`);
}
