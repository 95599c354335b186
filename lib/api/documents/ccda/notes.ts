import { currentBullets } from "@/lib/api/documents/chart/format";
import type { Entry, VisitNote } from "@/lib/api/documents/chart/schema";
import type { CcdaInput, SectionContent } from "./schema";

/** Returns the visit notes for documents, newest first. Confidential ones stay in the practice. */
export function shareableNotes({ chart }: CcdaInput): Entry<VisitNote>[] {
  return chart.records.visitNotes
    .filter(({ data }) => data.confidential !== true)
    .sort((a, b) => (noteDate(a) < noteDate(b) ? 1 : noteDate(a) > noteDate(b) ? -1 : b.id - a.id));
}

const noteDate = ({ data, createdDate }: Entry<VisitNote>) => data.document_date ?? createdDate;

/** Returns the texts of a note's bullets in these categories. */
export function bulletTexts(data: Partial<VisitNote>, categories: readonly string[]): string[] {
  return currentBullets(data).flatMap(({ category, text }) =>
    category && categories.includes(category) && text ? [text] : [],
  );
}

/** Returns a section with the newest note's texts in these categories. */
export function noteContent(categories: readonly string[]): (input: CcdaInput) => SectionContent | null {
  return (input) => {
    const paragraphs = newestNoteTexts(input, categories);
    return paragraphs.length > 0 ? { paragraphs, from: ["visitNotes"] } : null;
  };
}

export function newestNoteTexts(input: CcdaInput, categories: readonly string[]): string[] {
  const [note] = shareableNotes(input);
  return note ? bulletTexts(note.data, categories) : [];
}
