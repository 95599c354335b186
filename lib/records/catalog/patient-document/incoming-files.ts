import { z } from "zod";
import type { FieldErrors } from "@/lib/platform/errors";
import {
  base64,
  createdDate,
  integer,
  list,
  optional,
  practiceColumn,
  readOnly,
  reference,
  required,
  text,
  time,
  withResponse,
} from "@/lib/records/engine/fields";
import { defineResource, type FileContent } from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/documents";

const fileFields = {
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  file_size: integer().nullable().readonly().optional(),
  id: reference.readonly().optional(),
  incoming_file: integer().optional(),
  practice: reference.nullable().optional(),
};

const sentFile = z.object({ ...fileFields, base64_content: base64, content_type: text(200), filename: text(255) });
const file = sentFile.omit({ base64_content: true }).extend({ file_url: text() });

const imageShape = {
  ...fileFields,
  height: integer().nullable().readonly().optional(),
  original_extension: text(10).optional(),
  original_height: integer().optional(),
  original_padded: integer().optional(),
  original_rotation: integer().optional(),
  original_width: integer().optional(),
  quality_score: integer().nullable().readonly().optional(),
  quality_score_by: integer().nullable().readonly().optional(),
  received_date: time.optional(),
  rotation: integer().readonly().optional(),
  sequence: integer().nullable().readonly().optional(),
  width: integer().nullable().readonly().optional(),
};
const sentImage = z.object({ ...imageShape, base64_content: base64, content_type: text(200) });
const image = z.object({ ...imageShape, image_url: text() });

/** A file as stored. Its content is in the record's file with the same ID. */
const storedFile = z.object({
  id: reference,
  filename: text(),
  content_type: text(),
  file_size: integer(),
  created_date: time,
});
/** A page as stored, rotated upright and without camera metadata. */
const storedImage = storedFile.extend({ width: integer(), height: integer(), sequence: integer() });
type StoredFile = z.output<typeof storedFile>;
type StoredImage = z.output<typeof storedImage>;

/** Files that a practice received by fax or upload and has not filed yet. */
export const incomingFiles = defineResource({
  name: "incoming_files",
  title: "IncomingFileGroup",
  noun: "incoming file group",
  owner: "practice",
  confidential: true,
  operations: ["list", "create", "get"],
  fields: {
    created_date: createdDate,
    external_fax_id: optional(text()),
    file_size: readOnly(integer().nullable(), null),
    files: withResponse(optional(list(sentFile)), list(file).nullable()),
    from_number: readOnly(text().nullable(), null),
    group_name: required(text(200)),
    images: withResponse(optional(list(sentImage)), list(image).nullable()),
    page_count: readOnly(integer().nullable(), null),
    practice: practiceColumn,
    practice_fax: optional(text()),
    process_complete_time: optional(time),
    process_result: readOnly(text().nullable(), null),
    process_start_time: optional(time),
    process_state: readOnly(z.enum(["complete", "error", "pending", "processing"]), "complete"),
    received_time: optional(time),
    source: readOnly(z.enum(["metrofax", "plr", "refile", "softlinx", "user"]), "user"),
    subject: readOnly(text().nullable(), null),
    to_company: readOnly(text().nullable(), null),
    to_name: readOnly(text().nullable(), null),
    to_number: readOnly(text().nullable(), null),
    transmit_time: optional(time),
  },
  filters: [
    "created_date__gte",
    "created_date__lte",
    "from_number",
    "practice",
    "practice_fax",
    "process_state",
    "received_time__gte",
    "received_time__lte",
  ],
  stored: { files: list(storedFile).nullable(), images: list(storedImage).nullable() },
  imagesIn: ({ images }) => ({
    field: "images",
    images: (images ?? []).map(({ base64_content }, index) => ({
      bytes: Buffer.from(base64_content, "base64"),
      field: "base64_content",
      place: (errors) => ({ images: [...Array<FieldErrors>(index).fill({}), errors] }),
    })),
  }),
  // Nothing needs converting, so files are complete once stored.
  beforeWrite: async ({ data, sent, images: pages, now, storeFile }) => {
    const store = async (file: FileContent) => ({
      id: await storeFile(file),
      filename: file.filename,
      content_type: file.content_type,
      file_size: file.content.byteLength,
      created_date: now,
    });
    const files: StoredFile[] = [];
    for (const { base64_content: base64, filename, content_type: contentType, ...details } of sent.files ?? [])
      files.push({ ...details, ...(await store(toFileContent({ base64, filename, contentType }))) });
    const images: StoredImage[] = [];
    for (const [index, { base64_content: _base64, content_type: _type, ...details }] of (sent.images ?? []).entries()) {
      const page = pages[index];
      if (!page) throw new Error(`Image ${index} was not decoded.`);
      const { content, content_type, width, height } = page;
      const filename = `page-${index + 1}.${content_type === "image/png" ? "png" : "jpg"}`;
      const stored = await store({ filename, content_type, content });
      images.push({ ...details, ...stored, width, height, sequence: index + 1 });
    }
    const sizes = [...files, ...images].map(({ file_size }) => file_size);
    return {
      ...data,
      files: sent.files ? files : null,
      images: sent.images ? images : null,
      file_size: sizes.reduce((sum, size) => sum + size, 0),
      page_count: images.length || null,
      received_time: data.received_time ?? now,
      process_start_time: data.process_start_time ?? now,
      process_complete_time: data.process_complete_time ?? now,
    };
  },
  serialize: (groups, { link }) =>
    groups.map(({ id, practice_id, data: { files, images } }) => {
      const group = { incoming_file: id, practice: practice_id, deleted_date: null };
      return {
        files:
          files?.map((file) => ({ ...file, ...group, file_url: link(`incoming_files/${id}/files/${file.id}/`) })) ??
          null,
        images:
          images?.map(({ filename: _filename, content_type: _type, ...image }) => ({
            ...image,
            ...group,
            rotation: 0,
            quality_score: null,
            quality_score_by: null,
            image_url: link(`incoming_files/${id}/images/${image.id}/`),
          })) ?? null,
      };
    }),
});
