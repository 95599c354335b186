import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import { base64, reference, text } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  optional,
  patientColumn,
  type RecordRow,
  required,
  type SerializeContext,
  type Write,
  withResponse,
} from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/files";

const xmlFile = z.object({
  base64_content: base64,
  content_type: text().optional(),
  document: text().optional(),
  external_content: z.unknown().optional(),
  id: reference.readonly().optional(),
  original_filename: text().optional(),
});

/** A patient summary in XML that came from elsewhere. */
export const clinicalDocuments = defineResource({
  name: "clinical_documents",
  title: "XmlPatientSummary",
  noun: "clinical document",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    allergies_imported: defaulted(z.boolean(), false),
    author_name: optional(text(255)),
    authoring_practice: required(reference),
    created_date: createdDate,
    data_format: defaulted(z.enum(["ccda", "ccr", "qrda_1"])),
    deleted_date: deletedDate,
    demographics_imported: defaulted(z.boolean(), false),
    encounters_imported: defaulted(z.boolean(), false),
    immunizations_imported: defaulted(z.boolean(), false),
    labs_imported: defaulted(z.boolean(), false),
    medications_imported: defaulted(z.boolean(), false),
    patient: patientColumn,
    problems_imported: defaulted(z.boolean(), false),
    procedures_imported: defaulted(z.boolean(), false),
    vitals_imported: defaulted(z.boolean(), false),
    xml_file: withResponse(required(xmlFile), xmlFile.omit({ base64_content: true })),
  },
  filters: ["patient"],
  beforeWrite: keepXml,
  serialize: showXml,
});

/** What is kept of the document: its bytes are a file of the record's. */
interface Kept {
  id: number;
  content_type: string;
  original_filename: string;
}

/** @throws ValidationError where the document comes without its bytes, or as another practice's */
async function keepXml({ data, practiceId, keepFile }: Write): Promise<Data> {
  if (data.authoring_practice !== practiceId) {
    throw new ValidationError({ authoring_practice: ["Is not the practice of this patient."] });
  }
  const sent = data.xml_file as z.output<typeof xmlFile>;
  const { base64_content: base64, original_filename: filename = "document.xml", content_type: contentType } = sent;
  const file = toFileContent({ base64, filename, contentType });
  const kept: Kept = { id: await keepFile(file), content_type: file.content_type, original_filename: filename };
  return { ...data, data_format: data.data_format ?? "ccda", xml_file: kept };
}

function showXml(records: readonly RecordRow[], { fileLink }: SerializeContext): Data[] {
  return records.map(({ data }) => {
    const kept = data.xml_file as Kept;
    return { xml_file: { ...kept, document: fileLink(kept.id) } };
  });
}
