import { createReadStream, fstatSync, read } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { openTemporaryFile, writeAll } from "./temporary-file";

/** A source of bytes that can be read several times. */
export interface Source {
  /** In bytes. */
  size: number;
  /** Path of the file, if it is one on this machine. */
  file?: string;
  /** Reads its bytes in chunks, from this offset. */
  read: (start?: number) => AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 256 * 1024;

/** Stands for standard input instead of a filename. */
export const STANDARD_INPUT = "-";

/**
 * Opens a file on this machine. Because exports are read more than once, a pipe, `<(zcat export.gz)` or standard input is copied to a
 * temporary file first.
 *
 * @param file a path, or `-` for standard input
 */
export async function fileSource(file: string): Promise<Source> {
  if (file === STANDARD_INPUT) return copyToTemporaryFile(process.stdin);
  const found = await stat(file);
  if (!found.isFile()) return copyToTemporaryFile(createReadStream(file));
  const { size } = found;
  return { size, file, read: (start = 0) => openFile(file, start) };
}

/** Opens a file at this offset, so that errors name its path. */
function openFile(file: string, start: number): AsyncIterable<Uint8Array> {
  return createReadStream(file, { start, highWaterMark: CHUNK_BYTES }).on("error", (error) => {
    Object.assign(error, { path: file });
  });
}

async function copyToTemporaryFile(stream: AsyncIterable<Uint8Array>): Promise<Source> {
  const descriptor = openTemporaryFile();
  for await (const part of stream) writeAll(descriptor, part);
  const { size } = fstatSync(descriptor);
  // The descriptor stays open until the process ends, because the source may be read again.
  return {
    size,
    async *read(start = 0) {
      for (let position = start; ; ) {
        const part = Buffer.allocUnsafe(CHUNK_BYTES);
        const { bytesRead } = await readAt(descriptor, part, 0, CHUNK_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield part.subarray(0, bytesRead);
      }
    },
  };
}

const readAt = promisify(read);

/** Creates a source from a string. */
export function textSource(text: string): Source {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    async *read(start = 0) {
      yield bytes.subarray(start);
    },
  };
}

/** Reads up to `maxBytes` from the start of a source. */
export async function readBeginning(source: Source, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of source.read()) {
    parts.push(part);
    length += part.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}
