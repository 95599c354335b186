import { bulletsOf } from "@/lib/api/documents/chart/rules";
import type { Entry, VisitNote } from "@/lib/api/documents/chart/schema";
import type { Content, Subject } from "./schema";

/** The visit notes that documents are made from: a confidential one stays in the practice. */
export function notesOf({ chart }: Subject): Entry<VisitNote>[] {
  return chart.records.visitNotes
    .filter(({ data }) => data.confidential !== true)
    .sort((a, b) => (dateOf(a) < dateOf(b) ? 1 : dateOf(a) > dateOf(b) ? -1 : b.id - a.id));
}

const dateOf = ({ data, createdDate }: Entry<VisitNote>) => data.document_date ?? createdDate;

/** The texts of a note's bullets of these categories. */
export function textsOf(data: Partial<VisitNote>, categories: readonly string[]): string[] {
  return bulletsOf(data).flatMap(({ category, text }) =>
    category && categories.includes(category) && text ? [text] : [],
  );
}

/** A section of what the newest note says under these categories. */
export function noteContent(categories: readonly string[]): (subject: Subject) => Content | null {
  return (subject) => {
    const paragraphs = newestNoteTexts(subject, categories);
    return paragraphs.length > 0 ? { paragraphs, from: ["visitNotes"] } : null;
  };
}

export function newestNoteTexts(subject: Subject, categories: readonly string[]): string[] {
  const [note] = notesOf(subject);
  return note ? textsOf(note.data, categories) : [];
}
