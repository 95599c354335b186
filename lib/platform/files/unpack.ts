import { createGunzip } from "node:zlib";
import { BusinessRuleError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";
import { inMib, READING_LIMITS } from "./reading-limits";
import type { Source } from "./source";

const { ratio, ratioFromBytes, unpackedBytes } = READING_LIMITS;

/** Why a file as a whole can't be read, and what to do about it. */
export const unreadableFile = (message: string) => new BusinessRuleError("file_unreadable", message);

/** Whether a decoder failed for what the file holds: not for one of our limits, nor for a failure of the machine. */
export const isDamage = (error: Error) => !(error instanceof BusinessRuleError) && !("syscall" in error);

/**
 * Lets unpacked bytes through, as far as a file may unpack: a few kilobytes can hold gigabytes.
 *
 * @param packed how many packed bytes they were made of so far
 * @throws BusinessRuleError file_unreadable
 */
export async function* limitUnpacked(
  parts: AsyncIterable<Uint8Array>,
  packed: () => number,
  most: number = unpackedBytes,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > most) throw unreadableFile(`The file unpacks to more than ${inMib(most)}. Split it into smaller files.`);
    if (size > ratioFromBytes && size > ratio * packed()) {
      throw unreadableFile(
        `The file unpacks to more than ${ratio} times its size, which no export does. Upload it unpacked.`,
      );
    }
    yield part;
  }
}

/** A part of what is read, from this byte on. */
export async function* after(parts: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Uint8Array> {
  let left = start;
  for await (const part of parts) {
    if (left < part.length) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}

/** What a source holds that is changed on the way; `bytesRead` of its records are told in bytes of the original. */
export interface ChangedSource extends Source {
  originalRead: () => number;
}

/** The contents of a gzip file. */
export function gunzipped(source: Source): ChangedSource {
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
      throw unreadableFile(`The gzip file is damaged or cut off after byte ${packed}. Pack or upload it again.`);
    } finally {
      gunzip.destroy();
      await feed;
    }
  }
  return { size: source.size, read: (start = 0) => after(unpack(), start), originalRead: () => packed };
}

/** A text in UTF-16 as UTF-8. Characters that are none become bytes that are no UTF-8, so that their lines are refused. */
export function fromUtf16(source: Source, encoding: "utf-16le" | "utf-16be"): ChangedSource {
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
  return { size: source.size, read: (start = 0) => after(convert(), start), originalRead: () => read };
}

function toBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (!text.includes("\uFFFD")) return bytes;
  for (let at = bytes.indexOf("\uFFFD"); at !== -1; at = bytes.indexOf("\uFFFD", at + 3)) bytes.fill(0xff, at, at + 3);
  return bytes;
}
