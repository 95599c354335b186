import { bulletsOf } from "@/lib/api/documents/chart/rules";
import { notesOf, textsOf } from "./notes";
import { physicianEntityOf } from "./parties";
import type { Content, Subject, Xml } from "./schema";
import { absent, consolidated, idOf, point, shownAt } from "./values";

type Note = Subject["chart"]["records"]["visitNotes"][number];

/** The visits there is a note of. */
export function encountersContent(subject: Subject): Content | null {
  const notes = notesOf(subject);
  if (notes.length === 0) return null;
  const rows = notes.map((note) => ({
    id: `encounter-${note.id}`,
    cells: [
      ...[note.data.document_date?.slice(0, 10), note.data.type, physicianNameIn(subject, note)],
      ...[
        textsOf(note.data, ["Reason"]).join("\n"),
        noteTextOf(note),
        note.data.signed_date?.slice(0, 10) ?? "Not signed",
      ],
    ],
  }));
  const columns = ["Date", "Visit", "Physician", "Reason", "Note", "Signed"];
  return {
    tables: [{ columns, rows }],
    entries: notes.map((note) => encounterOf(note, subject)),
    from: ["visitNotes"],
  };
}

function physicianNameIn({ chart }: Subject, { data }: Note): string {
  const physician = chart.physicians.get(data.physician ?? 0);
  return physician ? [physician.first_name, physician.last_name, physician.credentials].filter(Boolean).join(" ") : "";
}

function noteTextOf({ data }: Note): string {
  return bulletsOf(data)
    .filter(({ category }) => category !== "Reason")
    .map(({ text }) => text)
    .join("\n");
}

function encounterOf(note: Note, subject: Subject): Xml {
  const { id, data } = note;
  const physician = subject.chart.physicians.get(data.physician ?? 0);
  return {
    encounter: {
      "@classCode": "ENC",
      "@moodCode": "EVN",
      templateId: consolidated("4.49", "2015-08-01"),
      id: idOf(subject.making.roots.visit_notes, id),
      code: { ...absent("OTH"), originalText: data.type || "Visit" },
      text: shownAt(`encounter-${id}`),
      effectiveTime: point(data.document_date),
      performer: physician ? { assignedEntity: physicianEntityOf(physician, subject.chart) } : undefined,
    },
  };
}
