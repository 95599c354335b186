import { z } from "zod";
import { integer, reference, text, time } from "@/lib/records/engine/fields";

const attachmentType = z.enum([
  "Entity",
  "RefPanel",
  "PatientDemog",
  "ImmHistory",
  "MedsList",
  "CompMedsList",
  "WhoHeightChart",
  "WhoWeightChart",
  "WhoHcChart",
  "WhoWflChart",
  "CdcHeightChart",
  "CdcWeightChart",
  "CdcBmiChart",
  "CdcHcChart",
  "PremieHeightChart",
  "PremieWeightChart",
  "PremieHcChart",
  "DsinfantHeightChart",
  "DsinfantWeightChart",
  "DsinfantHcChart",
  "DsHeightChart",
  "DsWeightChart",
  "DsBmiChart",
  "DsHcChart",
]);

/** A part of the chart that is sent with a letter, or a handout. */
export const letterAttachment = z.object({
  attachment_type: attachmentType,
  entity_date: time.nullable().optional(),
  entity_description: text().nullable().optional(),
  entity_id: reference.optional(),
  entity_type: integer().nullable().readonly().optional(),
  handout: reference.nullable().optional(),
  id: reference.readonly().optional(),
  summary: text().nullable().optional(),
});
