// POST patients/{id}/incoming_files/: files received files with a patient as one report.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { isoNow } from "@/lib/platform/clock";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { fileIncomingDocuments } from "@/lib/records/commands/file-incoming-documents";
import { reference, text, time } from "@/lib/records/engine/fields";

const filing = z.object({
  custom_title: text(255).optional(),
  document_date: time.optional(),
  document_tags: z.array(text(100)).max(100).optional(),
  document_type: text(255)
    .min(1)
    .describe(
      "The type of the report, in any case. A type that reports do not have becomes the title of a report of type `Misc`.",
    ),
  files: z.array(reference).min(1).max(100),
  import_history: z.boolean().default(false),
  reviewer_user: z.int().optional(),
  sign_off: z.boolean().default(false),
  urgent: z.boolean().default(false),
});

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "patient_incoming_files.create",
    summary: "File incoming files with a patient as a report",
    scope: "system/patients.write",
    params: { id: idParam },
    body: json(filing),
    signs: ["sign_off"],
    headers: ["Location"],
    status: 201,
    handle: async ({ access, params: { id: patientId }, origin, body, url }) => {
      const report = await fileIncomingDocuments({ access, origin, patientId, now: isoNow() }, body);
      return { headers: { location: new URL(`/api/2.0/reports/${report.id}/`, url).href } };
    },
  }),
});
