import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  reference,
  refersTo,
  required,
  sparse,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { withSignature } from "@/lib/records/rules/documents";
import { document } from "@/lib/records/rules/nested-schemas";

const nonVisitNoteBullet = z.object({
  author: integer().optional(),
  id: reference.optional(),
  text: text(),
  updated_date: time.readonly().optional(),
  version: integer(0, 65535).optional(),
});

const nonVisitNoteDocument = z.object({
  document: document,
  id: reference.readonly().optional(),
  summary: text().nullable().optional(),
});

const patientItem = z.object({
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  is_confidential: z.boolean(),
  patient: reference,
  type: text(),
});

const nonVisitNotePatientItem = z.object({ id: reference.readonly().optional(), item: patientItem });

/** A note about a patient outside of a visit. */
export const nonVisitNotes = defineResource({
  name: "non_visit_notes",
  title: "NonVisitNote",
  noun: "non-visit note",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    bullets: defaulted(list(nonVisitNoteBullet), []),
    chart_date: required(time),
    created_date: createdDate,
    deleted_date: deletedDate,
    document_date: required(time),
    note_documents: sparse(nonVisitNoteDocument),
    note_items: sparse(nonVisitNotePatientItem),
    patient: patientColumn,
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
    tags: refersTo(defaulted(list(reference), []), "document_tags"),
    type: required(text()),
  },
  filters: ["patient"],
  requireChangeable: ({ signed_by }) => {
    // Clients recognize this wording.
    if (signed_by) throw new ValidationError({ non_field_errors: ["signed non visit notes are not editable"] });
  },
  beforeWrite: async (write) => ({ ...withSignature(write), bullets: await withVersions(write) }),
});

type Bullet = z.output<typeof nonVisitNoteBullet>;

/** Gives bullets their IDs, versions and dates. A bullet is known by its ID, or else by its text. A change is a new version. */
async function withVersions({
  data,
  before,
  now,
  nextIds,
}: {
  data: { bullets: Bullet[] };
  before: { bullets: Bullet[] } | null;
  now: string;
  nextIds: (count: number) => Promise<number[]>;
}): Promise<Bullet[]> {
  const left = new Set(before?.bullets);
  const take = (isSame: (bullet: Bullet) => boolean) => {
    const found = [...left].find(isSame);
    if (found) left.delete(found);
    return found;
  };
  const known = data.bullets.map(({ id }) => (id === undefined ? undefined : take((bullet) => bullet.id === id)));
  const previous = data.bullets.map((sent, index) => known[index] ?? take((bullet) => isUnchanged(sent, bullet)));
  const ids = await nextIds(previous.filter((bullet) => bullet?.id === undefined).length);
  return data.bullets.map((sent, index) => {
    const bullet = previous[index];
    if (bullet?.version && isUnchanged(sent, bullet)) return bullet;
    return { ...sent, id: bullet?.id ?? ids.shift(), version: (bullet?.version ?? 0) + 1, updated_date: now };
  });
}

function isUnchanged(sent: Bullet, bullet: Bullet): boolean {
  return sent.text === bullet.text && (sent.author ?? bullet.author) === bullet.author;
}
