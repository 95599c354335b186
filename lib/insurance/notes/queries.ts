import type { Access } from "@/lib/access/identity/access";
import { patientIsVisible } from "@/lib/insurance/patients/queries";
import { getPolicy } from "@/lib/insurance/policies/queries";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, empty, inList, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

type ChangeRow = Row<"policy_note_change">;

/** A policy has few notes. */
export const MAX_NOTES = 100;

/** A note as staff pages show it. */
export type ShownNote = ReturnType<typeof toShownNote>;

/** Maps the last change of a note to the note. */
function toShownNote({ note_id, version, text, actor, occurred_date }: ChangeRow) {
  return { id: note_id, version, text, by: actor.name, changed_date: occurred_date };
}

/**
 * Returns the notes of each policy of a patient, by policy, or of one policy. Those changed last come first. Deleted notes are left
 * out.
 */
export async function findNotes(
  access: Access,
  patientId: number,
  policyId: number | null = null,
  read: Db = db,
): Promise<Map<number, ShownNote[]>> {
  const rows = await read.rows<ChangeRow>(sql`
    SELECT n.* FROM (
      SELECT DISTINCT ON (c.note_id) c.* FROM policy_note_change c
      WHERE c.patient_id = ${patientId} AND ${patientIsVisible(access, sql`c.patient_id`)}
        ${policyId === null ? empty : sql`AND c.policy_id = ${policyId}`}
      ORDER BY c.note_id, c.version DESC) n
    WHERE n.kind <> 'deleted' ORDER BY n.id DESC`);
  const notes = new Map<number, ShownNote[]>();
  for (const row of rows) notes.set(row.policy_id, [...(notes.get(row.policy_id) ?? []), toShownNote(row)]);
  return notes;
}

/** A change to a note: who changed what, when, from where and why. */
export interface NoteChange
  extends Pick<ChangeRow, "id" | "note_id" | "version" | "kind" | "text" | "source" | "reason" | "occurred_date"> {
  by: string;
  /** The text before the change, or null if the note was added. */
  before: string | null;
}

/** A page shows this many changes. Older ones are kept. */
const MAX_SHOWN = 200;

/**
 * Lists the changes to the notes of a policy, newest first.
 *
 * @throws NotFoundError, GoneError
 */
export async function listNoteChanges(access: Access, patientId: number, policyId: number): Promise<NoteChange[]> {
  await getPolicy(access, patientId, policyId);
  const rows = await db.rows<ChangeRow & { before: string | null }>(sql`
    SELECT c.*, b.text AS before FROM policy_note_change c
      LEFT JOIN policy_note_change b ON b.note_id = c.note_id AND b.version = c.version - 1
    WHERE c.policy_id = ${policyId} ORDER BY c.id DESC LIMIT ${MAX_SHOWN}`);
  return rows.map(({ id, note_id, version, kind, text, before, actor, source, reason, occurred_date }) => {
    return { id, note_id, version, kind, text, before, by: actor.name, source, reason, occurred_date };
  });
}

/**
 * Returns the last change of a note of a policy.
 *
 * @throws NotFoundError if the note does not exist or was deleted
 */
export async function getNote(read: Db, policyId: number, noteId: string): Promise<ChangeRow> {
  const row = await read.first<ChangeRow>(sql`
    SELECT * FROM policy_note_change WHERE note_id = ${noteId}::uuid AND policy_id = ${policyId}
    ORDER BY version DESC LIMIT 1`);
  if (!row || row.kind === "deleted") throw new NotFoundError("note");
  return row;
}

/** Returns which of these patients have notes on their policies, even deleted ones. For the rollback of a migration. */
export async function findPatientsWithNotes(read: Db, patientIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await read.rows<{ id: number }>(sql`
    SELECT DISTINCT patient_id AS id FROM policy_note_change WHERE ${inList(sql`patient_id`, patientIds)}`);
  return new Set(rows.map(({ id }) => id));
}

/** Returns whether the policy of one of these legacy insurances has notes, even deleted ones. */
export async function haveNotes(read: Db, insuranceIds: readonly number[]): Promise<boolean> {
  const found = await read.first(sql`
    SELECT 1 FROM policy p JOIN policy_note_change n ON n.policy_id = p.id
    WHERE p.patient_insurance = ANY(${[...insuranceIds]}::bigint[]) LIMIT 1`);
  return found !== null;
}
