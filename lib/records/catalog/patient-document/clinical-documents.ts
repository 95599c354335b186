import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import {
  base64,
  createdDate,
  defaulted,
  deletedDate,
  optional,
  patientColumn,
  reference,
  required,
  text,
  withResponse,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/documents";

const xmlFile = z.object({
  base64_content: base64,
  content_type: text().optional(),
  document: text().optional(),
  external_content: z.unknown().optional(),
  id: reference.readonly().optional(),
  original_filename: text().optional(),
});

/** The bytes are a file of the record. */
const storedFile = z.object({ id: reference, content_type: text(), original_filename: text() });

/** A patient summary in XML from another system. */
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
  stored: { xml_file: storedFile },
  beforeWrite: async ({ data, sent, practiceId, storeFile }) => {
    if (data.authoring_practice !== practiceId) {
      throw new ValidationError({ authoring_practice: ["Is not the practice of this patient."] });
    }
    if (!sent.xml_file) throw new ValidationError({ xml_file: ["This field is required."] });
    const { base64_content: base64, original_filename = "document.xml", content_type: contentType } = sent.xml_file;
    const file = toFileContent({ base64, filename: original_filename, contentType });
    const xml_file = { id: await storeFile(file), content_type: file.content_type, original_filename };
    return { ...data, data_format: data.data_format ?? "ccda", xml_file };
  },
  serialize: (records, { fileLink }) =>
    records.map(({ data: { xml_file } }) => ({ xml_file: { ...xml_file, document: fileLink(xml_file.id) } })),
});
