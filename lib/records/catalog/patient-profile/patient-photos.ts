import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import type { ProcessedImage } from "@/lib/platform/storage/process-image";
import { base64, text, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defineResource,
  modifiedDate,
  patientColumn,
  practiceColumn,
  readOnly,
  required,
  type Write,
} from "@/lib/records/engine/schema";

/** A patient's photo. A patient has one at a time. */
export const patientPhotos = defineResource({
  name: "patient_photos",
  title: "PatientPhoto",
  noun: "photo",
  owner: "patient",
  partOf: { resource: "patients", id: ({ patient_id }) => patient_id as number },
  operations: ["get", "create", "replace", "delete"],
  fields: {
    content_type: readOnly(text(), ""),
    created_date: createdDate,
    file: readOnly(z.url()),
    file_size: readOnly(whole(), 0),
    height: readOnly(whole(), 0),
    last_updated: modifiedDate,
    original_filename: required(text(255)),
    patient: patientColumn,
    practice: practiceColumn,
    width: readOnly(whole(), 0),
  },
  views: {
    create: {
      title: "PatientPhoto",
      fields: {
        base_64: required(base64),
        original_filename: required(text(255)),
        patient: patientColumn,
        practice: practiceColumn,
      },
    },
    update: {
      title: "PatientPhoto",
      fields: {
        base_64: required(base64),
        original_filename: required(text(255)),
        patient: patientColumn,
        practice: practiceColumn,
      },
    },
  },
  filters: ["patient"],
  imagesIn: ({ base_64 }) => ({
    field: "base_64",
    images: [{ bytes: Buffer.from(base_64 as string, "base64"), field: "base_64", place: (errors) => errors }],
  }),
  beforeWrite: keepImage,
  serialize: (photos, { fileLink }) => photos.map(({ data }) => ({ file: fileLink(data.file_id as number) })),
});

/** The image as it is kept: upright, without any metadata. @throws ValidationError where it has no name */
async function keepImage({ data, images: [image], keepFile }: Write): Promise<Data> {
  const { base_64: _bytes, ...kept } = data;
  const { content, content_type, width, height } = image as ProcessedImage;
  const filename = data.original_filename as string;
  if (filename === "") throw new ValidationError({ original_filename: ["Must not be empty."] });
  const file_id = await keepFile({ filename, content_type, content });
  return { ...kept, file_id, file_size: content.byteLength, content_type, width, height };
}
