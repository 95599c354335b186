import { createHash } from "node:crypto";
import type { Source } from "./source";

/** One line of a file, without its line break. `bytes` is null if it is longer than allowed. */
export interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer | null;
  /** Bytes of the file read so far, including this line. */
  bytesRead: number;
}

const NEWLINE = 10;

/** Reads the lines of a text file that are not blank. It keeps at most one line and one chunk in memory. */
export async function* readLines(source: Source, options: { maxBytes: number }): AsyncGenerator<Line> {
  for await (const line of splitLines(source, { ...options, skipEmpty: true })) {
    if (!line.bytes || !isBlank(line.bytes)) yield line;
  }
}

/**
 * Reads every line of a text file, including blank ones by default.
 *
 * @param options.start offset of the first line in the source
 * @param options.end the byte that ends a line. Default: a newline
 */
export async function* splitLines(
  source: Source,
  options: { maxBytes: number; start?: number; end?: number; skipEmpty?: boolean },
): AsyncGenerator<Line> {
  const { maxBytes, start = 0, end = NEWLINE, skipEmpty = false } = options;
  let number = 0;
  let bytesRead = start;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    if (part.length === 0) return;
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): Line => {
    number++;
    const [only] = parts;
    const bytes = length > maxBytes ? null : parts.length === 1 && only ? only : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { number, bytes, bytesRead };
  };
  for await (const part of source.read(start)) {
    const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let from = 0;
    for (let at = buffer.indexOf(end); at !== -1; at = buffer.indexOf(end, from)) {
      take(buffer.subarray(from, at));
      bytesRead += at + 1 - from;
      from = at + 1;
      if (skipEmpty && length === 0) number++;
      else yield finish();
    }
    take(buffer.subarray(from));
    bytesRead += buffer.length - from;
  }
  if (length > 0) yield finish();
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** Identifies an export by its size and the hash of its content, so that it can be renamed. */
export async function fingerprintSource(source: Source): Promise<{ fingerprint: string; size: number }> {
  const hash = createHash("sha256");
  for await (const part of source.read()) hash.update(part);
  return { fingerprint: `${source.size}:${hash.digest("hex")}`, size: source.size };
}
