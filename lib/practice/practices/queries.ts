import type { DeprecationMode } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { selectPhysicianIds } from "@/lib/practice/physicians/queries";
import { type LocationRecord, selectServiceLocations } from "@/lib/practice/record-lookups/queries";

/** The rules of a practice: the Insurance Versioning switch and the deprecation clock. */
export interface PracticeRules {
  insuranceVersioningEnabled: boolean;
  /** `YYYY-MM-DD`; legacy insurances are deprecated from the start of this day, UTC. */
  deprecationDate: string;
  deprecationMode: DeprecationMode;
  /** The practice's current time: its rehearsal time if one is set. */
  now: Date;
  isRehearsing: boolean;
}

type RulesRow = Row<
  "practice",
  "insurance_versioning_enabled" | "deprecation_date" | "deprecation_mode" | "rehearsal_time"
>;

/** SQL, because most reads and writes of patients look up the rules. */
const RULES = sql`insurance_versioning_enabled, deprecation_date, deprecation_mode, rehearsal_time`;

/** Returns the current rules of a practice. @throws NotFoundError */
export async function getPracticeRules(read: Db, practiceId: number): Promise<PracticeRules> {
  const row = await read.first<RulesRow>(sql`SELECT ${RULES} FROM practice WHERE id = ${practiceId}`);
  if (!row) throw new NotFoundError("practice");
  return toRules(row);
}

/** Returns an SQL expression: whether the API rejects patients whom this practice already has. */
export function rejectsDuplicates(practiceId: number): Sql {
  return sql`(SELECT rejects_duplicate_patients FROM practice WHERE id = ${practiceId})`;
}

/** Returns the IANA time zone of a practice, or null if the practice does not exist. */
export async function findTimezone(read: Db, practiceId: number): Promise<string | null> {
  const row = await read.first(kysely.selectFrom("practice").select("timezone").where("id", "=", practiceId));
  return row?.timezone ?? null;
}

/** Returns the name of a practice and its IANA time zone. @throws NotFoundError */
export async function getPracticeProfile(read: Db, practiceId: number): Promise<Row<"practice", "name" | "timezone">> {
  const row = await read.first(kysely.selectFrom("practice").select(["name", "timezone"]).where("id", "=", practiceId));
  if (!row) throw new NotFoundError("practice");
  return row;
}

/** Lists all practices with their deprecation dates. For background work. */
export async function listDeadlines(): Promise<Row<"practice", "id" | "name" | "deprecation_date">[]> {
  return db.rows(kysely.selectFrom("practice").select(["id", "name", "deprecation_date"]).orderBy("id"));
}

/** Returns the rules of several practices, by ID. */
export async function listPracticeRules(read: Db, practiceIds: readonly number[]): Promise<Map<number, PracticeRules>> {
  const rows = await read.rows<RulesRow & Row<"practice", "id">>(
    sql`SELECT id, ${RULES} FROM practice WHERE ${inList(sql`id`, practiceIds)}`,
  );
  return new Map(rows.map((row) => [row.id, toRules(row)]));
}

function toRules(row: RulesRow): PracticeRules {
  return {
    insuranceVersioningEnabled: row.insurance_versioning_enabled,
    deprecationDate: row.deprecation_date,
    deprecationMode: row.deprecation_mode,
    now: row.rehearsal_time ? new Date(row.rehearsal_time) : clock.now(),
    isRehearsing: row.rehearsal_time !== null,
  };
}

/** A practice with the IDs of its physicians and with its service locations. */
export type PracticeRow = Row<"practice", (typeof RESPONSE_COLUMNS)[number]> & {
  physicians: number[];
  service_locations: LocationRecord[];
};

const RESPONSE_COLUMNS = [
  "id",
  "name",
  "address_line1",
  "address_line2",
  "city",
  "state",
  "zip",
  "timezone",
  "status",
  "metadata",
  "version",
] as const satisfies readonly (keyof Row<"practice">)[];

const PRACTICE = sql`${raw(RESPONSE_COLUMNS.map((column) => `p.${column}`).join(", "))},
  ${selectPhysicianIds(sql`p.id`)} AS physicians, ${selectServiceLocations(sql`p.id`)} AS service_locations`;

/** Fields the practices list can be ordered by. */
export const PRACTICE_ORDERS = { name: sql`lower(p.name)` };

/** Returns a page of the practices the caller may see. */
export async function listPractices(access: Access, page: PageRequest): Promise<PageSlice<PracticeRow>> {
  return selectPage(db, {
    columns: PRACTICE,
    from: sql`practice p`,
    where: inList(sql`p.id`, access.practices),
    id: sql`p.id`,
    orderings: PRACTICE_ORDERS,
    page,
  });
}

/** @throws NotFoundError if the practice does not exist or the caller has no access to it */
export async function getPractice(access: Access, practiceId: number, read: Db = db): Promise<PracticeRow> {
  const practice = access.practices.includes(practiceId)
    ? await read.first<PracticeRow>(sql`SELECT ${PRACTICE} FROM practice p WHERE p.id = ${practiceId}`)
    : null;
  if (!practice) throw new NotFoundError("practice");
  return practice;
}
