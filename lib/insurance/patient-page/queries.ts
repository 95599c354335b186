import type { Access, FieldChanges } from "@/lib/access/identity/access";
import { findLatestChecks, type LatestCheck } from "@/lib/insurance/eligibility/staff-queries";
import { withMaskedSsn } from "@/lib/insurance/fields/masked-ssn";
import { findNotes, type ShownNote } from "@/lib/insurance/notes/queries";
import { toInsuranceDto } from "@/lib/insurance/patients/dto";
import { getPatient, patientIsVisible, viewPatient } from "@/lib/insurance/patients/queries";
import {
  listPatientEvents,
  type PatientEventRow,
  type TimelineCursor,
  type TimelineRow,
} from "@/lib/insurance/patients/staff-queries";
import { listCards } from "@/lib/insurance/patients/store";
import { toPolicyViewDto, toStaffPolicyDto, toVersionDto } from "@/lib/insurance/policies/dto";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { toShownImage, viewPolicy } from "@/lib/insurance/policies/staff-queries";
import { selectPolicies } from "@/lib/insurance/policies/store";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, type Sql, sql } from "@/lib/platform/db/sql";
import { imageLimits } from "@/lib/platform/storage/process-image";
import { getPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";

/** Everything on a patient's page except the timeline. */
export type PatientPage = Awaited<ReturnType<typeof viewPatientPage>>;

/**
 * Returns a patient with policies, legacy insurances and cards, and the practice's setting for Insurance Versioning.
 *
 * @param only `shown` omits policies if the practice uses the legacy interface. A page that refreshes does not pass it,
 *   because it may still show the policies.
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 */
export async function viewPatientPage(access: Access, patientId: number, only?: "shown") {
  const row = await getPatient(access, patientId);
  // Read the stamp first, so that the next poll notices a change made during this read.
  const stamp = await policiesStamp(access, patientId);
  const [{ insurances, rules }, cards] = await Promise.all([viewPatient(row), listCards(patientId)]);
  const withPolicies = only !== "shown" || rules.insuranceVersioningEnabled;
  const [policies, archivals, checks, notes] = withPolicies
    ? await Promise.all([
        listPoliciesOfPatient(access, patientId),
        listArchivals(access, patientId),
        findLatestChecks(access, patientId),
        findNotes(access, patientId),
      ])
    : [[], [], new Map<number, LatestCheck>(), new Map<number, ShownNote[]>()];
  const archivalOf = new Map(archivals.map(({ policy_id, reason, actor }) => [policy_id, { reason, by: actor.name }]));
  const { id, first_name, middle_name, last_name, dob, sex, external_id, version } = row;
  return {
    patient: { id, first_name, middle_name, last_name, dob, sex, external_id, version },
    ...toInterface(rules),
    stamp: `${version}.${stamp}`,
    policies: policies.map((policy) => ({
      ...toStaffPolicyDto(policy),
      card_images: policy.card_images.map(toShownImage),
      archival: archivalOf.get(policy.id) ?? null,
      eligibility: checks.get(policy.id) ?? null,
      notes: notes.get(policy.id) ?? [],
    })),
    insurances: insurances?.filter(({ deleted_date }) => deleted_date === null).map(toShownInsurance) ?? null,
    cards: insurances ? cards.map((card) => ({ rank: card.rank, ...toShownImage(card) })) : [],
    limits: imageLimits(),
  };
}

/** Everything on a policy's page except its images and history. */
export type PolicyPageData = Awaited<ReturnType<typeof viewPolicyPage>>;

/**
 * Returns a policy for its page, with the patient's active policies, the latest eligibility check and the notes.
 *
 * @throws NotFoundError if it does not exist or belongs to another practice
 * @throws GoneError if it was purged
 */
export async function viewPolicyPage(access: Access, patientId: number, policyId: number) {
  const view = await viewPolicy(access, patientId, policyId);
  const [checks, notes] = await Promise.all([
    findLatestChecks(access, patientId, policyId),
    findNotes(access, patientId, policyId),
  ]);
  return {
    ...toPolicyViewDto(view),
    eligibility: checks.get(policyId) ?? null,
    notes: notes.get(policyId) ?? [],
  };
}

const toShownInsurance = (row: Parameters<typeof toInsuranceDto>[0]) => withMaskedSsn(toInsuranceDto(row));

/** Returns what the page polls to notice changes. It holds no patient data. */
export async function viewPatientState(access: Access, patientId: number) {
  const { version, practice_id } = await getPatient(access, patientId);
  const [rules, stamp] = await Promise.all([getPracticeRules(db, practice_id), policiesStamp(access, patientId)]);
  return { ...toInterface(rules), stamp: `${version}.${stamp}` };
}

function toInterface(rules: PracticeRules) {
  const { insuranceVersioningEnabled, deprecationDate, deprecationMode, isRehearsing } = rules;
  const ended = legacyInsurancesEnded(rules);
  return {
    versioning: insuranceVersioningEnabled,
    deprecation: { date: deprecationDate, mode: deprecationMode, ended, rehearsing: isRehearsing },
  };
}

/** One entry of a patient's timeline. */
export type TimelineEntry = ReturnType<typeof toEntry>;

/** Lists the timeline of a patient, newest first: versions of the record and of all policies, and purged policies. */
export async function listTimeline(
  access: Access,
  patientId: number,
  { after, limit }: { after: TimelineCursor | null; limit: number },
): Promise<{ results: TimelineEntry[]; next: string | null }> {
  const page = { after, limit: limit + 1 };
  const [ofPatient, ofPolicies, removals] = await Promise.all([
    listPatientEvents(access, patientId, page),
    listPolicyEvents(access, patientId, page),
    listRemovals(access, patientId, page),
  ]);
  const rows = [...ofPatient, ...ofPolicies, ...removals].sort(newestFirst);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    results: shown.map(toEntry),
    next: last ? [last.occurred_date, last.type, last.id, last.version].join("~") : null,
  };
}

/** Sorts like the SQL statements: by time, type, ID and version, all descending. */
function newestFirst(a: TimelineRow, b: TimelineRow): number {
  const time = Date.parse(b.occurred_date) - Date.parse(a.occurred_date);
  return time || (a.type === b.type ? b.id - a.id || b.version - a.version : a.type < b.type ? 1 : -1);
}

interface EntryDetails {
  /** The policy that the entry is about. */
  policy: { id: number; carrier: string | null; rank: number | null; archive_reason: string | null } | null;
  /** Names of the changed fields. */
  fields: string[];
  /** Old and new value, if only one field changed. */
  change: { old: unknown; new: unknown } | null;
  /** Changed legacy insurances, and the ranks whose cards changed. */
  insurances: { rank: number; kind: string }[];
  card_ranks: number[];
}

const NOTHING: EntryDetails = { policy: null, fields: [], change: null, insurances: [], card_ranks: [] };

function toEntry(row: PatientEventRow | PolicyEventRow | RemovalRow) {
  const { type, id, version, kind, actor, source, reason, request_id, occurred_date, recorded_date } = row;
  const entry = { id, version, kind, actor: actor.name, source, reason, request_id, occurred_date, recorded_date };
  return { type, ...entry, ...toDetails(row) };
}

function toDetails(row: PatientEventRow | PolicyEventRow | RemovalRow): EntryDetails {
  if (row.type === "removal") {
    return { ...NOTHING, policy: { id: row.id, carrier: null, rank: null, archive_reason: null } };
  }
  if (row.type === "policy") {
    const { id, carrier, rank, archive_reason } = row.snapshot;
    return { ...NOTHING, policy: { id, carrier, rank, archive_reason }, ...toFieldDetails(toVersionDto(row).changes) };
  }
  if (row.kind !== "insurances_changed" && row.kind !== "cards_changed") {
    return { ...NOTHING, ...toFieldDetails(row.changes) };
  }
  const { insurances, card_ranks } = row.changes;
  return { ...NOTHING, insurances: insurances.map(({ rank, kind }) => ({ rank, kind })), card_ranks };
}

/** Fields whose values the timeline hides. */
const HIDDEN_VALUES = new Set(["insured_person_ssn", "ssn"]);

function toFieldDetails(changes: FieldChanges): Pick<EntryDetails, "fields" | "change"> {
  const fields = Object.keys(changes);
  const [field] = fields;
  const change = fields.length === 1 && field && !HIDDEN_VALUES.has(field) ? changes[field] : undefined;
  const isPlain = change && [change.old, change.new].every((value) => value === null || typeof value !== "object");
  return { fields, change: isPlain ? change : null };
}

/** Lists all policies of a patient: active ones by rank (unranked last), then archived ones newest first. */
export async function listPoliciesOfPatient(access: Access, patientId: number): Promise<PolicyRow[]> {
  return selectPolicies(
    db,
    sql`p.patient_id = ${patientId} AND ${patientIsVisible(access, sql`p.patient_id`)}
      ORDER BY p.status, CASE WHEN p.status = 'active' THEN p.rank END NULLS LAST, p.archived_date DESC, p.id DESC`,
  );
}

/** Lists the reason and the author of each archived policy's last archival. */
async function listArchivals(access: Access, patientId: number) {
  return db.rows<Row<"policy_version", "policy_id" | "reason" | "actor">>(sql`
    SELECT DISTINCT ON (v.policy_id) v.policy_id, v.reason, v.actor FROM policy_version v
    JOIN policy p ON p.id = v.policy_id AND p.status = 'archived'
    WHERE v.patient_id = ${patientId} AND v.kind = 'archived' AND ${patientIsVisible(access, sql`v.patient_id`)}
    ORDER BY v.policy_id, v.version DESC`);
}

/** Returns a string that changes with every change to the patient's policies, their eligibility checks and their notes. */
export async function policiesStamp(access: Access, patientId: number): Promise<string> {
  const stamp = await db.one<{ count: number; versions: number; checks: number; notes: number }>(sql`
    SELECT count(*) AS count, coalesce(sum(p.version), 0)::bigint AS versions,
      (SELECT count(*) FROM eligibility_check c WHERE c.patient_id = ${patientId}) AS checks,
      (SELECT count(*) FROM policy_note_change n WHERE n.patient_id = ${patientId}) AS notes
    FROM policy p WHERE p.patient_id = ${patientId} AND ${patientIsVisible(access, sql`p.patient_id`)}`);
  return `${stamp.count}.${stamp.versions}.${stamp.checks}.${stamp.notes}`;
}

/** A version of a policy in the patient's timeline, with the policy after and before the change. */
export interface PolicyEventRow extends TimelineRow, Row<"policy_version", "kind" | "snapshot"> {
  type: "policy";
  previous: PolicyRow | null;
}

/** Lists versions of all policies of a patient after a cursor, newest first. */
export async function listPolicyEvents(
  access: Access,
  patientId: number,
  page: { after: TimelineCursor | null; limit: number },
): Promise<PolicyEventRow[]> {
  return db.rows<PolicyEventRow>(sql`
    SELECT 'policy' AS type, v.policy_id AS id, v.version, v.kind, v.snapshot, b.snapshot AS previous,
      v.actor, v.source, v.reason, v.request_id, v.occurred_date, v.recorded_date
    FROM policy_version v LEFT JOIN policy_version b ON b.policy_id = v.policy_id AND b.version = v.version - 1
    WHERE v.patient_id = ${patientId} AND ${patientIsVisible(access, sql`v.patient_id`)}
      ${afterCursor(page.after, sql`v.occurred_date, 'policy'::text, v.policy_id, v.version`)}
    ORDER BY v.occurred_date DESC, v.policy_id DESC, v.version DESC LIMIT ${page.limit}`);
}

type RemovalRow = TimelineRow & { type: "removal"; kind: "removed" };

/** Lists purged policies of a patient after a cursor, newest first. */
export async function listRemovals(
  access: Access,
  patientId: number,
  page: { after: TimelineCursor | null; limit: number },
): Promise<RemovalRow[]> {
  return db.rows<RemovalRow>(sql`
    SELECT 'removal' AS type, t.policy_id AS id, 0 AS version, 'removed' AS kind, t.actor, t.source, t.reason, t.request_id,
      t.deleted_date AS occurred_date, t.deleted_date AS recorded_date
    FROM policy_tombstone t
    WHERE t.patient_id = ${patientId} AND ${patientIsVisible(access, sql`t.patient_id`)}
      ${afterCursor(page.after, sql`t.deleted_date, 'removal'::text, t.policy_id, 0`)}
    ORDER BY t.deleted_date DESC, t.policy_id DESC LIMIT ${page.limit}`);
}

function afterCursor(after: TimelineCursor | null, place: Sql): Sql {
  if (!after) return empty;
  return sql`AND (${place}) < (${after.time}::timestamptz, ${after.type}::text, ${after.id}::bigint, ${after.version}::int)`;
}
