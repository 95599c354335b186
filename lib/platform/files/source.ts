import { createReadStream, fstatSync, read } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { openTemporaryFile, writeWhole } from "./temporary-file";

/** Where an export is read from, as often as it takes. */
export interface Source {
  /** Bytes */
  size: number;
  /** The file it is, where it is one of this machine. */
  file?: string;
  /** Its bytes in parts, from this place on. */
  read: (start?: number) => AsyncIterable<Uint8Array>;
}

const PART_BYTES = 256 * 1024;

/** The word that stands for standard input in the place of a file's name. */
export const STANDARD_INPUT = "-";

/**
 * A file on this machine. What can be read only once (a pipe, `<(zcat export.gz)`, standard input) is copied to a temporary
 * file first: exports are read more than once.
 *
 * @param file a path, or `-` for standard input
 */
export async function fileSource(file: string): Promise<Source> {
  if (file === STANDARD_INPUT) return copyOf(process.stdin);
  const found = await stat(file);
  if (!found.isFile()) return copyOf(createReadStream(file));
  const { size } = found;
  return { size, file, read: (start = 0) => openFile(file, start) };
}

/** A file from this byte on, whose failures name it. */
function openFile(file: string, start: number): AsyncIterable<Uint8Array> {
  return createReadStream(file, { start, highWaterMark: PART_BYTES }).on("error", (error) => {
    Object.assign(error, { path: file });
  });
}

async function copyOf(stream: AsyncIterable<Uint8Array>): Promise<Source> {
  const descriptor = openTemporaryFile();
  for await (const part of stream) writeWhole(descriptor, part);
  const { size } = fstatSync(descriptor);
  // The descriptor is closed with the process: the source may be read again until then.
  return {
    size,
    async *read(start = 0) {
      for (let position = start; ; ) {
        const part = Buffer.allocUnsafe(PART_BYTES);
        const { bytesRead } = await readAt(descriptor, part, 0, PART_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield part.subarray(0, bytesRead);
      }
    },
  };
}

const readAt = promisify(read);

/** A text at hand. */
export function textSource(text: string): Source {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    async *read(start = 0) {
      yield bytes.subarray(start);
    },
  };
}

/** The first bytes of a source, at most so many. */
export async function beginningOf(source: Source, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of source.read()) {
    parts.push(part);
    length += part.length;
    if (length >= most) break;
  }
  return Buffer.concat(parts).subarray(0, most);
}
