import { randomUUID } from "node:crypto";
import { auditPatientChange } from "@/lib/access/audit/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { lockPatients } from "@/lib/insurance/patients/store";
import { getPolicy } from "@/lib/insurance/policies/queries";
import { throwAbsent } from "@/lib/insurance/policies/store";
import { isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { insertInto, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { findNotes, getNote, MAX_NOTES, type ShownNote } from "./queries";
import type { NoteInput } from "./schema";

/** The caller and the policy of a change to its notes. */
export interface NoteRequest {
  access: Access;
  origin: Origin;
  patientId: number;
  policyId: number;
}

/**
 * Adds a note to a policy. The policy's version stays the same, because notes are no part of it.
 *
 * @returns the notes of the policy
 * @throws NotFoundError, GoneError
 * @throws BusinessRuleError too_many_notes
 */
export async function addNote(request: NoteRequest, { text }: NoteInput): Promise<ShownNote[]> {
  return changeNotes(request, async (tx) => {
    const notes = (await findNotes(request.access, request.patientId, request.policyId, tx)).get(request.policyId);
    if (notes && notes.length >= MAX_NOTES) {
      throw new BusinessRuleError("too_many_notes", `A policy can have ${MAX_NOTES} notes. Delete one first.`);
    }
    return { note_id: randomUUID(), version: 1, kind: "added", text };
  });
}

/**
 * Changes the text of a note.
 *
 * @returns the notes of the policy
 * @throws NotFoundError, GoneError, VersionConflictError
 */
export async function editNote(
  request: NoteRequest,
  noteId: string,
  { text }: NoteInput,
  ifMatch: IfMatch,
): Promise<ShownNote[]> {
  return changeNotes(request, async (tx) => {
    const note = await getNote(tx, request.policyId, noteId);
    requireVersion(ifMatch, note.version);
    return text === note.text ? null : { note_id: noteId, version: note.version + 1, kind: "edited", text };
  });
}

/**
 * Deletes a note. Its text stays in the history.
 *
 * @returns the notes of the policy
 * @throws NotFoundError, GoneError, VersionConflictError
 */
export async function deleteNote(request: NoteRequest, noteId: string, ifMatch: IfMatch): Promise<ShownNote[]> {
  return changeNotes(request, async (tx) => {
    const note = await getNote(tx, request.policyId, noteId);
    requireVersion(ifMatch, note.version);
    return { note_id: noteId, version: note.version + 1, kind: "deleted", text: note.text };
  });
}

type Change = Pick<Row<"policy_note_change">, "note_id" | "version" | "kind" | "text">;

/** Appends what `decide` returns, unless it is null. Changes to the notes of a patient run one after the other. */
async function changeNotes(
  { access, origin, patientId, policyId }: NoteRequest,
  decide: (tx: Tx) => Promise<Change | null>,
): Promise<ShownNote[]> {
  const { practice_id } = await getPolicy(access, patientId, policyId);
  return transaction(async (tx) => {
    // Keeps the policy from being purged meanwhile, a rollback from missing the note, and two users from adding the last note.
    await lockPatients(tx, [patientId]);
    const current = await tx.first<{ id: number }>(sql`SELECT id FROM policy WHERE id = ${policyId}`);
    if (!current) return throwAbsent(tx, patientId, policyId);
    const change = await decide(tx);
    if (change) {
      const { actor, source, reason, requestId: request_id } = origin;
      const where = { policy_id: policyId, patient_id: patientId, practice_id };
      const row = { ...change, ...where, actor, source, reason, request_id, occurred_date: isoNow() };
      await tx.run(insertInto("policy_note_change", [row]));
    }
    auditPatientChange(tx, origin, { id: patientId, practice_id });
    return (await findNotes(access, patientId, policyId, tx)).get(policyId) ?? [];
  });
}
