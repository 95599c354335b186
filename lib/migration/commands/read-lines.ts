import { createHash } from "node:crypto";
import type { Source } from "./source";

/** One line of a file, without its end; `bytes` is null where it is longer than allowed. */
export interface Line {
  /** From 1 */
  number: number;
  bytes: Uint8Array | null;
  /** How much of the file has been read, this line included. */
  bytesRead: number;
}

const NEWLINE = 10;

/** The lines of a text, one at a time, blank ones left out. Never more than one line and one part of it in memory. */
export async function* readLines(source: Source, options: { maxBytes: number }): AsyncGenerator<Line> {
  let number = 0;
  let bytesRead = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    length += part.length;
    if (length <= options.maxBytes) parts.push(part);
    else parts = [];
  };
  const end = (): Line | null => {
    number++;
    const bytes = length > options.maxBytes ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return bytes && isBlank(bytes) ? null : { number, bytes, bytesRead };
  };
  for await (const part of source.read()) {
    const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let from = 0;
    for (let at = buffer.indexOf(NEWLINE); at !== -1; at = buffer.indexOf(NEWLINE, from)) {
      take(buffer.subarray(from, at));
      bytesRead += at + 1 - from;
      from = at + 1;
      const line = end();
      if (line) yield line;
    }
    take(buffer.subarray(from));
    bytesRead += buffer.length - from;
  }
  const last = length > 0 ? end() : null;
  if (last) yield last;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** What an export is known by, whatever its name: its size and the hash of its content. */
export async function fingerprintSource(source: Source): Promise<{ fingerprint: string; size: number }> {
  const hash = createHash("sha256");
  for await (const part of source.read()) hash.update(part);
  return { fingerprint: `${source.size}:${hash.digest("hex")}`, size: source.size };
}
