import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { S3 } from "@aws-sdk/client-s3";
import { config, S3_FOLDER } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { connectS3 } from "./s3-image-store";

const OPERATION_MS = 20_000;

/** Lines to store. */
export interface Lines {
  /** Begins the name of the object in a bucket. A hash of the lines follows, so that an object never replaces one with other lines. */
  name: string;
  lines: readonly string[];
}

/** A write to a file took too long. It can't be stopped, so it may still happen. */
export class LateWriteError extends Error {}

/**
 * Appends lines to a file, or writes them as an object, because an object can't be appended to. When it returns, a crash can't lose them.
 * It takes at most 20 s.
 *
 * @param destination a file, or `s3://BUCKET/PREFIX` in the store of the settings
 * @param signal ends it earlier
 * @throws LateWriteError if a file hangs. Until it stops hanging, later calls fail at once
 */
export async function appendLines(destination: string, lines: Lines, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  // Not AbortSignal.any: Node.js 20 can collect the timeout in it as garbage, and it never aborts.
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, OPERATION_MS);
  signal?.addEventListener("abort", abort);
  try {
    const [, bucket, prefix] = S3_FOLDER.exec(destination) ?? [];
    if (bucket === undefined) await appendToFile(destination, lines, limit.signal);
    else await putObject({ bucket, prefix }, lines, limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Appends to a file, one call at a time, because a file that hangs blocks one of the few threads of the process for each call. */
async function appendToFile(name: string, lines: Lines, limit: AbortSignal): Promise<void> {
  const running = processWide("crosswalkAppends", () => new Set<string>());
  if (running.has(name)) throw new Error(`an earlier write to ${name} has not ended`);
  running.add(name);
  const writing = writeToFile(name, lines, limit).finally(() => running.delete(name));
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener("abort", () => reject(new LateWriteError(`${name} does not respond`)), { once: true });
  });
  await Promise.race([writing, late]);
}

async function writeToFile(name: string, { lines }: Lines, limit: AbortSignal): Promise<void> {
  const file = await open(name, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    // A killed process leaves the start of a line. The file may allow appending only, so it stays there, on its own line.
    const isTorn = size > 0 && buffer.toString() !== "\n";
    // Another process may write the lines by now.
    limit.throwIfAborted();
    await file.appendFile(`${isTorn ? "\n" : ""}${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function putObject(
  { bucket, prefix }: { bucket: string; prefix: string | undefined },
  { name, lines }: Lines,
  abortSignal: AbortSignal,
): Promise<void> {
  const { S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config();
  const client = processWide<{ s3?: Promise<S3> }>("crosswalkAnchorStore", () => ({}));
  client.s3 ??= connectS3({
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    forcePathStyle: S3_FORCE_PATH_STYLE,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  });
  const Body = Buffer.from(`${lines.join("\n")}\n`);
  const Key = `${prefix}${name}-${createHash("sha256").update(Body).digest("hex")}.jsonl`;
  // A bucket with object lock requires a checksum.
  const ContentMD5 = createHash("md5").update(Body).digest("base64");
  const object = { Bucket: bucket, Key, Body, ContentMD5, ContentType: "application/x-ndjson" };
  await (await client.s3).putObject(object, { abortSignal });
}
