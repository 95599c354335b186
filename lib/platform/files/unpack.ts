import { createGunzip } from "node:zlib";
import { BusinessRuleError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";
import { inMib, READING_LIMITS } from "./reading-limits";
import type { Source } from "./source";

const { ratio, ratioFromBytes, unpackedBytes } = READING_LIMITS;

/** Returns the error for a file that can't be read at all. The message says why and what to do. */
export const unreadableFile = (message: string) => new BusinessRuleError("file_unreadable", message);

/** Returns whether a decoder failed because of the content of the file, and not because of our limits or the machine. */
export const isDamage = (error: Error) => !(error instanceof BusinessRuleError) && !("syscall" in error);

/**
 * Passes decompressed bytes on and stops at a limit, because a few kilobytes can decompress to gigabytes.
 *
 * @param compressed returns how many compressed bytes were read so far
 * @throws BusinessRuleError file_unreadable
 */
export async function* limitUnpacked(
  parts: AsyncIterable<Uint8Array>,
  compressed: () => number,
  maxBytes: number = unpackedBytes,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > maxBytes)
      throw unreadableFile(`The file decompresses to more than ${inMib(maxBytes)}. Split it into smaller files.`);
    if (size > ratioFromBytes && size > ratio * compressed()) {
      throw unreadableFile(
        `The file decompresses to more than ${ratio} times its size, which no export does. Upload it uncompressed.`,
      );
    }
    yield part;
  }
}

/** Skips the bytes before an offset. */
export async function* skipBytes(parts: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Uint8Array> {
  let remaining = start;
  for await (const part of parts) {
    if (remaining < part.length) yield part.subarray(remaining);
    remaining = Math.max(0, remaining - part.length);
  }
}

/** A source that is decompressed or converted while it is read. */
export interface ChangedSource extends Source {
  /** Returns how many bytes of the original were read. Progress is measured in these. */
  originalRead: () => number;
}

/** Decompresses a gzip file while it is read. */
export function gunzipSource(source: Source): ChangedSource {
  let packed = 0;
  async function* unpack() {
    packed = 0;
    const gunzip = createGunzip();
    const feed = (async () => {
      for await (const part of source.read()) {
        packed += part.length;
        if (gunzip.destroyed) return;
        if (!gunzip.write(part)) await new Promise((resolve) => gunzip.once("drain", resolve).once("close", resolve));
      }
      gunzip.end();
    })().catch((error: Error) => gunzip.destroy(error));
    try {
      yield* limitUnpacked(gunzip, () => packed);
    } catch (error) {
      if (!/^(Z_|ERR_Z)/.test(String(property(error, "code")))) throw error;
      throw unreadableFile(`The gzip file is damaged or cut off after byte ${packed}. Compress or upload it again.`);
    } finally {
      gunzip.destroy();
      await feed;
    }
  }
  return { size: source.size, read: (start = 0) => skipBytes(unpack(), start), originalRead: () => packed };
}

/** Converts UTF-16 to UTF-8 while it is read. Invalid characters become invalid UTF-8, so that their lines are rejected. */
export function decodeUtf16(source: Source, encoding: "utf-16le" | "utf-16be"): ChangedSource {
  let read = 0;
  async function* convert() {
    read = 0;
    const decoder = new TextDecoder(encoding);
    for await (const part of source.read()) {
      read += part.length;
      yield toBytes(decoder.decode(part, { stream: true }));
    }
    yield toBytes(decoder.decode());
  }
  return { size: source.size, read: (start = 0) => skipBytes(convert(), start), originalRead: () => read };
}

function toBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (!text.includes("\uFFFD")) return bytes;
  for (let at = bytes.indexOf("\uFFFD"); at !== -1; at = bytes.indexOf("\uFFFD", at + 3)) bytes.fill(0xff, at, at + 3);
  return bytes;
}
