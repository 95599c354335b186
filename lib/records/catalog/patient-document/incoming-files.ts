import { z } from "zod";
import type { FieldErrors } from "@/lib/platform/errors";
import type { ProcessedImage } from "@/lib/platform/storage/process-image";
import { base64, list, reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defineResource,
  type FileContent,
  type ImagesInBody,
  optional,
  practiceColumn,
  type RecordRow,
  readOnly,
  required,
  type SerializeContext,
  type Write,
  withResponse,
} from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/files";

const kept = {
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  file_size: whole().nullable().readonly().optional(),
  id: reference.readonly().optional(),
  incoming_file: whole().optional(),
  practice: reference.nullable().optional(),
};

const sentFile = z.object({ ...kept, base64_content: base64, content_type: text(200), filename: text(255) });
const file = sentFile.omit({ base64_content: true }).extend({ file_url: text() });

const imageShape = {
  ...kept,
  height: whole().nullable().readonly().optional(),
  original_extension: text(10).optional(),
  original_height: whole().optional(),
  original_padded: whole().optional(),
  original_rotation: whole().optional(),
  original_width: whole().optional(),
  quality_score: whole().nullable().readonly().optional(),
  quality_score_by: whole().nullable().readonly().optional(),
  received_date: time.optional(),
  rotation: whole().readonly().optional(),
  sequence: whole().nullable().readonly().optional(),
  width: whole().nullable().readonly().optional(),
};
const sentImage = z.object({ ...imageShape, base64_content: base64, content_type: text(200) });
const image = z.object({ ...imageShape, image_url: text() });

/** Files that reached a practice by fax or upload and wait to be filed. */
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
    file_size: readOnly(whole().nullable(), null),
    files: withResponse(optional(list(sentFile)), list(file).nullable()),
    from_number: readOnly(text().nullable(), null),
    group_name: required(text(200)),
    images: withResponse(optional(list(sentImage)), list(image).nullable()),
    page_count: readOnly(whole().nullable(), null),
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
  imagesIn: pagesOf,
  beforeWrite: keepIncoming,
  serialize: showIncoming,
});

/** What is kept of a file: its bytes are the record's. */
export interface IncomingFile {
  id: number;
  filename: string;
  content_type: string;
  file_size: number;
  created_date: string;
}

/** What is kept of an image: one page, upright, without any metadata. */
export interface IncomingImage extends IncomingFile {
  width: number;
  height: number;
  sequence: number;
}

/** Nothing has to be converted: what came is complete as soon as it is kept. */
async function keepIncoming({ data, images: pages, now, keepFile }: Write): Promise<Data> {
  const files: IncomingFile[] = [];
  for (const { base64_content: base64, filename, content_type, ...rest } of (data.files ?? []) as SentFile[]) {
    const content = toFileContent({ base64, filename, contentType: content_type });
    files.push({ ...rest, ...(await keep(content, { now, keepFile })) });
  }
  const images: IncomingImage[] = [];
  for (const [index, sent] of ((data.images ?? []) as SentImage[]).entries()) {
    const { base64_content: _bytes, content_type: _said, ...rest } = sent;
    const { content, content_type, width, height } = pages[index] as ProcessedImage;
    const filename = `page-${index + 1}.${content_type === "image/png" ? "png" : "jpg"}`;
    const kept = await keep({ filename, content_type, content }, { now, keepFile });
    images.push({ ...rest, ...kept, width, height, sequence: index + 1 });
  }
  const sizes = [...files, ...images].map(({ file_size }) => file_size);
  return {
    ...data,
    files: data.files === null ? null : files,
    images: data.images === null ? null : images,
    file_size: sizes.reduce((sum, size) => sum + size, 0),
    page_count: images.length || null,
    received_time: data.received_time ?? now,
    process_start_time: data.process_start_time ?? now,
    process_complete_time: data.process_complete_time ?? now,
  };
}

type SentFile = z.output<typeof sentFile>;
type SentImage = z.output<typeof sentImage>;

async function keep(file: FileContent, { now, keepFile }: Pick<Write, "now" | "keepFile">): Promise<IncomingFile> {
  const { filename, content_type, content } = file;
  return { id: await keepFile(file), filename, content_type, file_size: content.byteLength, created_date: now };
}

function pagesOf(sent: Data): ImagesInBody {
  const images = ((sent.images ?? []) as SentImage[]).map(({ base64_content }, index) => ({
    bytes: Buffer.from(base64_content, "base64"),
    field: "base64_content",
    place: (errors: FieldErrors) => ({ images: [...Array<FieldErrors>(index).fill({}), errors] }),
  }));
  return { field: "images", images };
}

function showIncoming(groups: readonly RecordRow[], { link }: SerializeContext): Data[] {
  return groups.map(({ id, practice_id, data }) => {
    const own = { incoming_file: id, practice: practice_id, deleted_date: null };
    const files = data.files as IncomingFile[] | null;
    const images = data.images as IncomingImage[] | null;
    return {
      files: files?.map((one) => ({ ...one, ...own, file_url: link(`incoming_files/${id}/files/${one.id}/`) })) ?? null,
      images:
        images?.map(({ filename: _name, content_type: _type, ...one }) => ({
          ...{ ...one, ...own, rotation: 0, quality_score: null, quality_score_by: null },
          image_url: link(`incoming_files/${id}/images/${one.id}/`),
        })) ?? null,
    };
  });
}
