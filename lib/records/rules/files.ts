import mime from "mime";
import type { FileContent } from "@/lib/records/engine/schema";

const UNKNOWN = "application/octet-stream";
/** `type/subtype`, as headers take it, without parameters. */
const CONTENT_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;

/** Decodes a file. Its content type is the one that was sent, or the one its name implies. */
export function toFileContent(file: { base64: string; filename: string; contentType?: string }): FileContent {
  const [sentType] = CONTENT_TYPE.exec(file.contentType ?? "") ?? [];
  return {
    filename: file.filename,
    content_type: sentType ?? mime.getType(file.filename) ?? UNKNOWN,
    content: Buffer.from(file.base64, "base64"),
  };
}
