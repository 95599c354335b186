import fs from "node:fs";
import { crc32 } from "node:zlib";
import { type Entry, fromFd, type ZipFile } from "yauzl";
import { toError } from "@/lib/platform/objects";
import { READING_LIMITS } from "./reading-limits";
import type { Source } from "./source";
import { openTemporaryFile, writeAll } from "./temporary-file";
import { type ChangedSource, isDamage, limitUnpacked, skipBytes, unreadableFile } from "./unpack";

const MAX_ENTRIES = 10_000;
/** Files that archive programs add by themselves. */
const PACKER_FILES = /(^|\/)(__MACOSX\/|\.|Thumbs\.db$|desktop\.ini$)/i;

/** A zip file that is open for reading. */
export interface OpenZip {
  entries: ReadonlyMap<string, Entry>;
  /** Reads the contents of an entry, up to `maxBytes`. */
  contents: (entry: Entry, maxBytes?: number) => AsyncGenerator<Uint8Array>;
  close: () => void;
}

/**
 * Opens a zip file. A source that is not a file is copied to a temporary one first, because the directory of a zip file is at its end.
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
      contents: (entry, maxBytes) => contentsOf(zip, entry, maxBytes),
      close: () => fs.closeSync(descriptor),
    };
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/** Copies a source to a temporary file and returns its descriptor. */
export async function spool(source: Pick<Source, "read">): Promise<number> {
  const descriptor = openTemporaryFile();
  try {
    for await (const part of source.read()) writeAll(descriptor, part);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/** Returns the only file in a zip file, apart from those that archive programs add. */
export function openOnlyFile(zip: OpenZip): ChangedSource {
  const files = [...zip.entries.values()].filter(
    ({ fileName }) => !fileName.endsWith("/") && !PACKER_FILES.test(fileName),
  );
  const [entry, another] = files;
  if (!entry) throw unreadableFile("The zip file is empty. Add the export to it.");
  if (another) {
    const names = files.slice(0, 5).map(({ fileName }) => fileName);
    const more = files.length > names.length ? ", …" : "";
    throw unreadableFile(
      `The zip file has ${files.length} files (${names.join(", ")}${more}). Upload the export alone.`,
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
    read: (start = 0) => skipBytes(count(), start),
    originalRead: () => Math.round(read * packedShare),
  };
}

function open(descriptor: number): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromFd(descriptor, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error ? reject(toUnreadable(error)) : resolve(zip),
    );
  });
}

function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  return new Promise((resolve, reject) => {
    zip.on("error", (error: Error) => reject(toUnreadable(error)));
    zip.on("end", () => resolve(entries));
    zip.on("entry", (entry: Entry) => {
      entries.set(entry.fileName, entry);
      if (entries.size <= MAX_ENTRIES) zip.readEntry();
      else reject(toUnreadable(new Error(`it has more than ${MAX_ENTRIES} entries`)));
    });
    zip.readEntry();
  });
}

async function* contentsOf(
  zip: ZipFile,
  entry: Entry,
  maxBytes: number = READING_LIMITS.unpackedBytes,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw unreadableFile(`The zip file has a password. Upload ${entry.fileName} without one.`);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(toUnreadable(error)) : resolve(opened)));
  });
  try {
    let checksum = 0;
    for await (const bytes of limitUnpacked(
      stream as AsyncIterable<Uint8Array>,
      () => entry.compressedSize,
      maxBytes,
    )) {
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    // yauzl only checks the size, which misses changed bytes.
    if (checksum !== entry.crc32) throw new Error(`${entry.fileName} has a wrong checksum`);
  } catch (error) {
    throw toUnreadable(toError(error));
  }
}

const toUnreadable = (error: Error) =>
  isDamage(error) ? unreadableFile(`The zip file is damaged: ${error.message}. Compress or upload it again.`) : error;
