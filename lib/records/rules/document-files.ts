import { z } from "zod";
import { base64, list, optional, reference, text, withResponse } from "@/lib/records/engine/fields";
import type { SerializeContext, Write } from "@/lib/records/engine/schema";
import { toFileContent } from "./documents";

const documentFile = z.object({
  base64_content: base64.optional(),
  content_type: text().optional(),
  document: text().readonly().optional(),
  external_content: z.unknown().optional(),
  id: reference.readonly().optional(),
  original_filename: text().optional(),
});

/** The files of a document. Bodies have their content as base64, responses its URL. */
export const documentFiles = withResponse(
  optional(list(documentFile)),
  list(documentFile.omit({ base64_content: true })).nullable(),
);

/** The bytes are a file of the record. */
const storedFile = z.object({ id: reference, content_type: text(), original_filename: text() });
type StoredFile = z.output<typeof storedFile>;

/** The stored form of `documentFiles`. */
export const storedFiles = list(storedFile).nullable();

/**
 * Stores the files of a body with the record.
 *
 * @param kept the record's files. An entry without content keeps the file with that filename.
 */
export async function storeFiles(
  sent: readonly z.output<typeof documentFile>[],
  kept: readonly StoredFile[],
  { storeFile }: Pick<Write, "storeFile">,
): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const { id, base64_content, original_filename = "file", content_type } of sent) {
    const same = kept.find((file) => file.original_filename === original_filename);
    if (same && base64_content === undefined) {
      files.push(same);
      continue;
    }
    const file = toFileContent({
      base64: base64_content ?? "",
      filename: original_filename,
      contentType: content_type,
    });
    // Clients can't send IDs. Incoming files that are filed as a report have one, because they are stored already.
    files.push({ id: id ?? (await storeFile(file)), content_type: file.content_type, original_filename });
  }
  return files;
}

/** Returns the files with the URLs of their content. */
export function showFiles(
  files: readonly StoredFile[] | null | undefined,
  { fileLink }: Pick<SerializeContext, "fileLink">,
) {
  return files?.map((file) => ({ ...file, document: fileLink(file.id) })) ?? null;
}
