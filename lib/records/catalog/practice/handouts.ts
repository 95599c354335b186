import { z } from "zod";
import { base64, list, text, time } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  type Field,
  idColumn,
  OPERATIONS,
  optional,
  practiceColumn,
  type RecordRow,
  readOnly,
  required,
  type SerializeContext,
  type Write,
} from "@/lib/records/engine/schema";
import { toFileContent } from "@/lib/records/rules/files";

const content = z.object({
  base64_content: base64,
  content_type: text().readonly().optional(),
  original_filename: text(200),
});
const listedContent = z.object({ content_type: text(), original_filename: text() });

const fieldsWith = (contentField: Field) => ({
  content: contentField,
  created_date: createdDate,
  deleted_date: deletedDate,
  name: required(text(255)),
  practice_created: practiceColumn,
  received_date: readOnly(time),
  tags: defaulted(list(text()), []),
  type: required(z.enum(["Patient Resource", "VIS"])),
  vis_barcode: optional(text(30)),
});

/** A paper that patients are given. Lists leave its bytes out. */
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
  beforeWrite: keepContent,
  serialize: showContent,
});

/** What is kept of the content: its bytes are a file of the record's. */
interface Kept {
  file: number;
  content_type: string;
  original_filename: string;
}

async function keepContent({ data, before, sent, now, keepFile }: Write): Promise<Data> {
  const received_date = before?.received_date ?? now;
  if (sent.content === undefined) return { ...data, received_date };
  const { base64_content, original_filename } = sent.content as z.output<typeof content>;
  const file = toFileContent({ base64: base64_content, filename: original_filename });
  const kept: Kept = { file: await keepFile(file), content_type: file.content_type, original_filename };
  return { ...data, received_date, content: kept };
}

async function showContent(records: readonly RecordRow[], { view, read }: SerializeContext): Promise<Data[]> {
  const kept = records.map(({ data }) => data.content as Kept);
  const files = view === "list" ? new Map() : await read.filesById(kept.map(({ file }) => file));
  return kept.map(({ file, content_type, original_filename }) => {
    const bytes = files.get(file)?.content.toString("base64");
    return { content: { ...(bytes && { base64_content: bytes }), content_type, original_filename } };
  });
}
