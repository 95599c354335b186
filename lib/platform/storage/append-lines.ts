import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { S3 } from "@aws-sdk/client-s3";
import { config, S3_FOLDER } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { connectS3 } from "./s3-image-store";

const OPERATION_MS = 20_000;

/** Lines to store. */
export interface Lines {
  /** Names the object of a bucket, without its suffix. The same name replaces it. */
  name: string;
  lines: readonly string[];
}

/**
 * Appends lines to a file, or writes them as an object, because an object can't be appended to. When it returns, a crash can't lose them.
 *
 * @param destination a file, or `s3://BUCKET/PREFIX` in the store of the settings
 */
export async function appendLines(destination: string, lines: Lines): Promise<void> {
  const [, bucket, prefix] = S3_FOLDER.exec(destination) ?? [];
  if (bucket === undefined) await appendToFile(destination, lines);
  else await putObject({ Bucket: bucket, Key: `${prefix}${lines.name}.jsonl` }, lines);
}

async function appendToFile(name: string, { lines }: Lines): Promise<void> {
  const file = await open(name, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    // A killed process leaves the start of a line. The file may allow appending only, so it stays there, on its own line.
    const isTorn = size > 0 && buffer.toString() !== "\n";
    await file.appendFile(`${isTorn ? "\n" : ""}${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function putObject(key: { Bucket: string; Key: string }, { lines }: Lines): Promise<void> {
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
  // A bucket with object lock requires a checksum.
  const ContentMD5 = createHash("md5").update(Body).digest("base64");
  const object = { ...key, Body, ContentMD5, ContentType: "application/x-ndjson" };
  await (await client.s3).putObject(object, { abortSignal: AbortSignal.timeout(OPERATION_MS) });
}
