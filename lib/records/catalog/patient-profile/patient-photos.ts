import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import {
  base64,
  createdDate,
  integer,
  modifiedDate,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A patient's photo. Each patient has at most one. */
export const patientPhotos = defineResource({
  name: "patient_photos",
  title: "PatientPhoto",
  noun: "photo",
  owner: "patient",
  partOf: { resource: "patients", id: ({ patient_id }) => patient_id },
  operations: ["get", "create", "replace", "delete"],
  fields: {
    content_type: readOnly(text(), ""),
    created_date: createdDate,
    file: readOnly(z.url()),
    file_size: readOnly(integer(), 0),
    height: readOnly(integer(), 0),
    last_updated: modifiedDate,
    original_filename: required(text(255)),
    patient: patientColumn,
    practice: practiceColumn,
    width: readOnly(integer(), 0),
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
  stored: { base_64: z.undefined(), file_id: reference },
  imagesIn: ({ base_64 = "" }) => ({
    field: "base_64",
    images: [{ bytes: Buffer.from(base_64, "base64"), field: "base_64", place: (errors) => errors }],
  }),
  // The image is stored as a file: upright and without metadata.
  beforeWrite: async ({ data, images: [image], storeFile }) => {
    if (!image) throw new Error("The photo was not decoded.");
    const { base_64: _base64, ...photo } = data;
    const { content, content_type, width, height } = image;
    if (data.original_filename === "") throw new ValidationError({ original_filename: ["Must not be empty."] });
    const file_id = await storeFile({ filename: data.original_filename, content_type, content });
    return { ...photo, file_id, file_size: content.byteLength, content_type, width, height };
  },
  serialize: (photos, { fileLink }) => photos.map(({ data }) => ({ file: fileLink(data.file_id) })),
});
