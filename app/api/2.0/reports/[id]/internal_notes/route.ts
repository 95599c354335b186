// GET, POST reports/{id}/internal_notes/: the practice's own notes on a report, never paged.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { reportNotes } from "@/lib/records/catalog/patient-document/report-notes";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { createRecord } from "@/lib/records/engine/commands";
import { dataSubjects, getRecord, readerFor, toRecordDto } from "@/lib/records/engine/queries";
import { recordReply } from "@/lib/records/engine/routes";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "report_notes.list",
    summary: "List the internal notes of a report",
    scope: "system/reports.read",
    params: { id: idParam },
    response: z.array(responseSchema(reportNotes, "list")),
    status: 200,
    handle: async ({ access, params: { id } }) => {
      const report = await getRecord(access, reports, id);
      const notes = await readerFor(access).recordsWhere(reportNotes, "document", [id]);
      return { body: notes.map((note) => toRecordDto(reportNotes, "list", note)), ...dataSubjects(reports, [report]) };
    },
  }),
  POST: endpoint({
    name: "report_notes.create",
    summary: "Add an internal note to a report",
    scope: "system/reports.write",
    params: { id: idParam },
    body: json(bodySchema(reportNotes, "create").omit({ document: true })),
    response: responseSchema(reportNotes, "create"),
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, params: { id }, origin, body, url }) => {
      await getRecord(access, reports, id);
      const note = await createRecord({ access, origin }, reportNotes, { ...body, document: id });
      const location = new URL(`/api/2.0/reports/${id}/internal_notes/${note.id}/`, url).href;
      return recordReply(access, reportNotes, "create", note, { url, headers: { location } });
    },
  }),
});
