import fs from "node:fs";
import { crc32 } from "node:zlib";
import { type Entry, fromFd, type ZipFile } from "yauzl";
import { toError } from "@/lib/platform/objects";
import { READING_LIMITS } from "./reading-limits";
import type { Source } from "./source";
import { openTemporaryFile, writeWhole } from "./temporary-file";
import { after, type ChangedSource, isDamage, limitUnpacked, unreadableFile } from "./unpack";

const MOST_ENTRIES = 10_000;
/** What packers add by themselves. */
const BESIDE_THE_DATA = /(^|\/)(__MACOSX\/|\.|Thumbs\.db$|desktop\.ini$)/i;

/** A zip file that is open for reading. */
export interface OpenZip {
  entries: ReadonlyMap<string, Entry>;
  /** The contents of an entry; `most` bytes of them. */
  contents: (entry: Entry, most?: number) => AsyncGenerator<Uint8Array>;
  close: () => void;
}

/**
 * Opens a zip file. Its directory is at its end: what does not come from a file is copied to a temporary one first.
 *
 * @throws BusinessRuleError file_unreadable
 */
export async function openZip(source: Source): Promise<OpenZip> {
  const descriptor = source.file === undefined ? await spool(source) : fs.openSync(source.file, "r");
  try {
    const zip = await open(descriptor);
    const entries = await listEntries(zip);
    return {
      entries,
      contents: (entry, most) => contentsOf(zip, entry, most),
      close: () => fs.closeSync(descriptor),
    };
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/** Copies a source to a temporary file. @returns its descriptor */
export async function spool(source: Pick<Source, "read">): Promise<number> {
  const descriptor = openTemporaryFile();
  try {
    for await (const part of source.read()) writeWhole(descriptor, part);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/** The one file of a zip that holds data. */
export function onlyFile(zip: OpenZip): ChangedSource {
  const files = [...zip.entries.values()].filter(
    ({ fileName }) => !fileName.endsWith("/") && !BESIDE_THE_DATA.test(fileName),
  );
  const [entry, another] = files;
  if (!entry) throw unreadableFile("The zip file holds no file. Pack the export into it.");
  if (another) {
    const names = files.slice(0, 5).map(({ fileName }) => fileName);
    const more = files.length > names.length ? ", …" : "";
    throw unreadableFile(
      `The zip file holds ${files.length} files (${names.join(", ")}${more}). Upload the export alone.`,
    );
  }
  const packed = entry;
  let read = 0;
  async function* count() {
    read = 0;
    for await (const part of zip.contents(packed)) {
      read += part.length;
      yield part;
    }
  }
  const packedShare = entry.compressedSize / Math.max(1, entry.uncompressedSize);
  return {
    size: entry.compressedSize,
    read: (start = 0) => after(count(), start),
    originalRead: () => Math.round(read * packedShare),
  };
}

function open(descriptor: number): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromFd(descriptor, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error ? reject(toRefusal(error)) : resolve(zip),
    );
  });
}

function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  return new Promise((resolve, reject) => {
    zip.on("error", (error: Error) => reject(toRefusal(error)));
    zip.on("end", () => resolve(entries));
    zip.on("entry", (entry: Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size <= MOST_ENTRIES) zip.readEntry();
      else reject(toRefusal(new Error(`it has more than ${MOST_ENTRIES} entries`)));
    });
    zip.readEntry();
  });
}

async function* contentsOf(
  zip: ZipFile,
  entry: Entry,
  most: number = READING_LIMITS.unpackedBytes,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted())
    throw unreadableFile(`The zip file is protected by a password. Upload ${entry.fileName} without one.`);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(toRefusal(error)) : resolve(opened)));
  });
  try {
    let checksum = 0;
    for await (const bytes of limitUnpacked(stream as AsyncIterable<Uint8Array>, () => entry.compressedSize, most)) {
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    // yauzl checks only the size, so it does not detect a changed byte.
    if (checksum !== entry.crc32) throw new Error(`${entry.fileName} is not what was packed`);
  } catch (error) {
    throw toRefusal(toError(error));
  }
}

const toRefusal = (error: Error) =>
  isDamage(error) ? unreadableFile(`The zip file is damaged: ${error.message}. Pack or upload it again.`) : error;
