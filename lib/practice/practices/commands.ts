import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import {
  insertRecord,
  lockRecord,
  type RecordRequest,
  type RecordTable,
  updateRecord,
} from "@/lib/access/history/commands";
import { type Access, changedFields, type Origin } from "@/lib/access/identity/access";
import { publishAs } from "@/lib/events/published/publish-events";
import { countEventsSince, lastEventId } from "@/lib/events/published/queries";
import type { Row } from "@/lib/platform/db/rows";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/http/conditional";
import { getPractice, getPracticeRules, type PracticeRow, type PracticeRules } from "./queries";
import { type DeprecationClockInput, PRACTICE_COLUMNS, type PracticePatch, type PracticeRecord } from "./schema";

const PRACTICES: RecordTable<PracticeRecord> = {
  type: "practice",
  columns: PRACTICE_COLUMNS,
  practice: "id",
  publish: publishAs("practices"),
};

type OwnedPractice = PracticeRecord & Row<"practice", "organization_id" | "timezone">;
const OWNED_PRACTICES: RecordTable<OwnedPractice> = {
  type: "practice",
  columns: [...PRACTICE_COLUMNS, "organization_id", "timezone"],
  practice: "id",
  publish: publishAs("practices"),
};

/** The columns of a new practice. Omitted ones get the defaults of the table. */
type NewPractice = PracticePatch &
  Pick<OwnedPractice, "name"> &
  Partial<Pick<OwnedPractice, "timezone" | "insurance_versioning_enabled">>;

/** Creates a practice of an organization. */
export async function createPractice(
  organizationId: number,
  input: NewPractice,
  origin: Origin,
): Promise<PracticeRecord> {
  return transaction((tx) => insertPractice(tx, organizationId, input, origin));
}

/** Creates a practice like `createPractice`, in the caller's transaction. */
export async function insertPractice(
  tx: Tx,
  organizationId: number,
  input: NewPractice,
  origin: Origin,
): Promise<PracticeRecord> {
  return insertRecord(tx, OWNED_PRACTICES, { ...input, organization_id: organizationId }, origin);
}

/**
 * Updates the fields of a practice that clients may change. Omitted fields are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function updatePractice(request: RecordRequest, input: PracticePatch): Promise<PracticeRow> {
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PRACTICES, request);
    await updateRecord(tx, PRACTICES, { before, values: input, origin: request.origin });
    return getPractice(request.access, request.id, tx);
  });
}

interface PracticeSetting {
  access: Access;
  practiceId: number;
  origin: Origin;
  /** If omitted, the version is not compared. */
  ifMatch?: IfMatch;
}

/**
 * Switches Insurance Versioning on or off (specification, States and transitions).
 *
 * @returns the new rules
 * @throws NotFoundError
 * @throws ValidationError if no reason is given: the switch decides what every later legacy write does
 */
export async function setInsuranceVersioning(setting: PracticeSetting & { enabled: boolean }): Promise<PracticeRules> {
  if (!setting.origin.reason?.trim()) throw new ValidationError({ reason: ["A reason is required."] });
  return changeRules(setting, () => ({ insurance_versioning_enabled: setting.enabled }));
}

/**
 * Flips the Insurance Versioning switch in a transaction that is rolled back, and reports what `setInsuranceVersioning` would do.
 *
 * @param measure counts what the change affects; runs in the same transaction
 * @throws NotFoundError
 */
export async function rehearseInsuranceVersioning<T extends object>(
  setting: PracticeSetting,
  measure: (tx: Tx, practiceId: number) => Promise<T>,
): Promise<T & SwitchRehearsal> {
  const { access, practiceId, origin } = setting;
  return transaction(
    async (tx) => {
      const before = await lockRecord(tx, PRACTICES, { access, id: practiceId, ifMatch: null, origin });
      const enabled = !before.insurance_versioning_enabled;
      const since = await lastEventId(tx);
      await updateRecord(tx, PRACTICES, { before, values: { insurance_versioning_enabled: enabled }, origin });
      const notified = await countEventsSince(tx, { resource: "practices", id: practiceId, since });
      return { ...(await measure(tx, practiceId)), enabled, notified };
    },
    { rollback: true },
  );
}

/** The effects of flipping the Insurance Versioning switch on the practice itself. */
export interface SwitchRehearsal {
  /** The state of the switch afterwards. */
  enabled: boolean;
  /** Number of subscriptions that receive an event. */
  notified: number;
}

/**
 * Sets the deprecation clock of the legacy insurances. Omitted settings are left unchanged; a null rehearsal time
 * ends the rehearsal.
 *
 * @param setting validated by `deprecationClockInput`
 * @returns the new rules
 * @throws NotFoundError
 */
export async function setDeprecationClock(setting: PracticeSetting & DeprecationClockInput): Promise<PracticeRules> {
  const { date, mode, rehearsalTime } = setting;
  return changeRules(setting, (before) => ({
    deprecation_date: date,
    deprecation_mode: mode,
    // The same time in a different notation is not a change.
    rehearsal_time: sameTime(before.rehearsal_time, rehearsalTime) ? undefined : rehearsalTime,
  }));
}

async function changeRules(
  setting: PracticeSetting,
  valuesOf: (before: PracticeRecord) => Partial<PracticeRecord>,
): Promise<PracticeRules> {
  const { access, practiceId, origin, ifMatch = null } = setting;
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PRACTICES, { access, id: practiceId, ifMatch, origin });
    const values = valuesOf(before);
    await updateRecord(tx, PRACTICES, { before, values, origin });
    const rules = await getPracticeRules(tx, practiceId);
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const changes = changedFields(before, given);
    if (Object.keys(changes).length > 0)
      await auditSecurityIn(tx, [{ name: "setting.changed", origin, practices: [practiceId], changes }]);
    return rules;
  });
}

function sameTime(a: string | null, b: string | null | undefined): boolean {
  return a && b ? Date.parse(a) === Date.parse(b) : a === b;
}

/**
 * Sets whether the API rejects the creation of a patient whom the practice already has.
 *
 * @throws NotFoundError
 */
export async function setDuplicatePatients(setting: PracticeSetting & { rejected: boolean }): Promise<void> {
  await changeRules(setting, () => ({ rejects_duplicate_patients: setting.rejected }));
}

/** Assumed rules of a practice for a dry run: the switch, and whether its deadline has passed and is enforced. */
export interface AssumedRules {
  versioning: boolean;
  deadline: "before" | "after";
}

/** Changes a practice's rules for the rest of a dry run, which rolls them back. */
export async function assumeRules(tx: Tx, practiceId: number, { versioning, deadline }: AssumedRules): Promise<void> {
  const present =
    deadline === "after"
      ? sql`deprecation_mode = 'enforce', rehearsal_time = deprecation_date + interval '1 day'`
      : sql`deprecation_mode = 'announce', rehearsal_time = deprecation_date - interval '1 day'`;
  await tx.run(sql`
    UPDATE practice SET insurance_versioning_enabled = ${versioning}, ${present} WHERE id = ${practiceId}`);
}
