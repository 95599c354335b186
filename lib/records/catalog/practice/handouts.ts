import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import {
  base64,
  createdDate,
  defaulted,
  deletedDate,
  type Field,
  idColumn,
  list,
  optional,
  practiceColumn,
  readOnly,
  reference,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/documents";

const content = z.object({
  base64_content: base64,
  content_type: text().readonly().optional(),
  original_filename: text(200),
});
const listedContent = z.object({ content_type: text(), original_filename: text() });

const fieldsWith = <F extends Field>(content: F) => ({
  content,
  created_date: createdDate,
  deleted_date: deletedDate,
  name: required(text(255)),
  practice_created: practiceColumn,
  received_date: readOnly(time),
  tags: defaulted(list(text()), []),
  type: required(z.enum(["Patient Resource", "VIS"])),
  vis_barcode: optional(text(30)),
});

/** The bytes are a file of the record. */
const storedContent = z.object({ file: reference, content_type: text(), original_filename: text() });

/** A handout for patients. Lists leave its bytes out. */
export const handouts = defineResource({
  name: "handouts",
  title: "Handout",
  noun: "handout",
  owner: "practice",
  operations: OPERATIONS,
  fields: fieldsWith(required(content)),
  views: {
    list: {
      title: "HandoutsSerializerNoBase64Content",
      fields: { id: idColumn, ...fieldsWith(required(listedContent)) },
    },
  },
  filters: ["name", "practice_created", "tags"],
  stored: { content: storedContent },
  beforeWrite: async ({ data, before, sent, now, storeFile }) => {
    const received_date = before?.received_date ?? now;
    if (!sent.content) {
      if (!before) throw new ValidationError({ content: ["This field is required."] });
      return { ...data, received_date, content: before.content };
    }
    const { base64_content: base64, original_filename } = sent.content;
    const file = toFileContent({ base64, filename: original_filename });
    const content = { file: await storeFile(file), content_type: file.content_type, original_filename };
    return { ...data, received_date, content };
  },
  serialize: async (records, { view, reader }) => {
    const ids = view === "list" ? [] : records.map(({ data }) => data.content.file);
    const files = await reader.filesById(ids);
    return records.map(({ data: { content: stored } }) => {
      const { content_type, original_filename } = stored;
      const file = files.get(stored.file);
      const shown = { content_type, original_filename };
      return { content: file ? { base64_content: file.content.toString("base64"), ...shown } : shown };
    });
  },
});
