import { currentBullets } from "@/lib/api/documents/chart/format";
import { bulletTexts, shareableNotes } from "./notes";
import { assignedEntity } from "./parties";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, instanceId, narrativeLink, nullFlavor, timePoint } from "./xml";

type Note = CcdaInput["chart"]["records"]["visitNotes"][number];

/** Returns the visits that have a note. */
export function encountersContent(input: CcdaInput): SectionContent | null {
  const notes = shareableNotes(input);
  if (notes.length === 0) return null;
  const rows = notes.map((note) => ({
    id: `encounter-${note.id}`,
    cells: [
      note.data.document_date?.slice(0, 10),
      note.data.type,
      physicianName(input, note),
      bulletTexts(note.data, ["Reason"]).join("\n"),
      noteText(note),
      note.data.signed_date?.slice(0, 10) ?? "Not signed",
    ],
  }));
  const columns = ["Date", "Visit", "Physician", "Reason", "Note", "Signed"];
  return {
    tables: [{ columns, rows }],
    entries: notes.map((note) => encounterActivity(note, input)),
    from: ["visitNotes"],
  };
}

function physicianName({ chart }: CcdaInput, { data }: Note): string {
  const physician = chart.physicians.get(data.physician ?? 0);
  return physician ? [physician.first_name, physician.last_name, physician.credentials].filter(Boolean).join(" ") : "";
}

function noteText({ data }: Note): string {
  return currentBullets(data)
    .filter(({ category }) => category !== "Reason")
    .map(({ text }) => text)
    .join("\n");
}

function encounterActivity(note: Note, input: CcdaInput): Xml {
  const { id, data } = note;
  const physician = input.chart.physicians.get(data.physician ?? 0);
  return {
    encounter: {
      "@classCode": "ENC",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.49", "2015-08-01"),
      id: instanceId(input.context.roots.visit_notes, id),
      code: { ...nullFlavor("OTH"), originalText: data.type || "Visit" },
      text: narrativeLink(`encounter-${id}`),
      effectiveTime: timePoint(data.document_date),
      performer: physician ? { assignedEntity: assignedEntity(physician, input.chart) } : undefined,
    },
  };
}
