import type { TableRow } from "@/lib/platform/files/read-rows";
import { isWorkbook, readWorkbook } from "@/lib/platform/files/read-workbook";
import { type OpenZip, openOnlyFile, openZip } from "@/lib/platform/files/read-zip";
import { readBeginning, type Source } from "@/lib/platform/files/source";
import { type ChangedSource, decodeUtf16, gunzipSource, unreadableFile } from "@/lib/platform/files/unpack";

/** An open export: UTF-8 text, or the rows of a workbook. */
export type OpenExport = { close: () => void } & (
  | { source: Source; originalRead?: () => number }
  | { rows: AsyncIterable<TableRow> }
);

const GZIP = Buffer.from("1f8b", "hex");
const ZIP = Buffer.from("504b0304", "hex");
const EMPTY_ZIP = Buffer.from("504b0506", "hex");
const BYTE_ORDER_MARKS = [
  ["utf-16le", Buffer.from("fffe", "hex")],
  ["utf-16be", Buffer.from("feff", "hex")],
] as const;

/**
 * Opens an export, packed or not.
 *
 * @throws BusinessRuleError file_unreadable: why it can't be unpacked
 */
export async function openExport(source: Source): Promise<OpenExport> {
  const first = await readBeginning(source, 4);
  if (begins(first, ZIP) || begins(first, EMPTY_ZIP)) return openPacked(await openZip(source));
  if (begins(first, GZIP)) return openText(gunzipSource(source), "gzip");
  const encoding = utf16Of(first);
  return encoding ? fromSource(decodeUtf16(source, encoding)) : { source, close: () => {} };
}

async function openPacked(zip: OpenZip): Promise<OpenExport> {
  try {
    if (isWorkbook(zip)) return { rows: readWorkbook(zip), close: zip.close };
    return { ...(await openText(openOnlyFile(zip), "zip")), close: zip.close };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openText(source: ChangedSource, packer: string): Promise<OpenExport> {
  const first = await readBeginning(source, 4);
  if (begins(first, ZIP) || begins(first, GZIP)) {
    throw unreadableFile(`The ${packer} file holds another packed file. Unpack it once, and upload what it holds.`);
  }
  const encoding = utf16Of(first);
  return fromSource(encoding ? { ...decodeUtf16(source, encoding), originalRead: source.originalRead } : source);
}

const fromSource = (source: ChangedSource): OpenExport => ({
  source,
  originalRead: source.originalRead,
  close: () => {},
});

const begins = (bytes: Buffer, beginning: Buffer) => bytes.subarray(0, beginning.length).equals(beginning);

const utf16Of = (first: Buffer) => BYTE_ORDER_MARKS.find(([, mark]) => begins(first, mark))?.[0];
