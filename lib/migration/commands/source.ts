import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

/** Where an export is read from, as often as it takes. */
export interface Source {
  /** Bytes */
  size: number;
  /** Its bytes in parts, from this place on. */
  read: (start?: number) => AsyncIterable<Uint8Array>;
}

const PART_BYTES = 256 * 1024;

/** A file on this machine. */
export async function fileSource(file: string): Promise<Source> {
  const { size } = await stat(file);
  return { size, read: (start = 0) => createReadStream(file, { start, highWaterMark: PART_BYTES }) };
}

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
