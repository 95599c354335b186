import mime from "mime";
import type { FileContent } from "@/lib/records/engine/schema";

const UNKNOWN = "application/octet-stream";
/** `type/subtype`, as headers take it; parameters are left out. */
const CONTENT_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;

/** A file as it was sent, with the type that was said, or else that its name tells. */
export function toFileContent(sent: {
  base64: string;
  filename: string;
  contentType?: string | null | undefined;
}): FileContent {
  const [said = null] = CONTENT_TYPE.exec(sent.contentType ?? "") ?? [];
  return {
    filename: sent.filename,
    content_type: said ?? mime.getType(sent.filename) ?? UNKNOWN,
    content: Buffer.from(sent.base64, "base64"),
  };
}
