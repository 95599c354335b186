import { createHash } from "node:crypto";
import type { S3 } from "@aws-sdk/client-s3";
import { property } from "@/lib/platform/objects";
import { isImageKey, requireImageKey } from "./image-key";
import type { ImageStore, StoredObject } from "./image-store";
import { toUnavailable } from "./store-failure";

/** Where an S3-compatible store is and how to get in. */
export interface S3Settings {
  /** Unset: Amazon's own, by the region. */
  endpoint?: string | undefined;
  region: string;
  bucket: string;
  /** Put before every key as it is: other objects of the bucket are none of ours. */
  prefix: string;
  forcePathStyle: boolean;
  /** Unset: what the SDK finds (environment, profile, the role of the machine). */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  /** How long one operation may take, with its retries and the whole of its answer: a client waits for it. */
  operationMs?: number;
  /** How many keys a list is read by at once; unset, as many as the store gives (1,000). */
  pageSize?: number;
}

const CONNECT_MS = 2_000;
/** Until the first byte of an answer: an upload of 10 MiB has to fit in. */
const ANSWER_MS = 15_000;
const OPERATION_MS = 25_000;
const ATTEMPTS = 3;

/** Card images as objects of an S3-compatible store; keys, content type and checksum are all it is told. */
export class S3ImageStore implements ImageStore {
  readonly #settings: S3Settings;
  #client: Promise<S3> | undefined;

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    requireImageKey(key);
    // The store compares the checksum: bytes that were damaged on the way are not kept.
    const ContentMD5 = createHash("md5").update(bytes).digest("base64");
    const object = { ...this.#place(key), Body: bytes, ContentType: "application/octet-stream", ContentMD5 };
    await this.#ask("put", (s3, options) => s3.putObject(object, options));
  }

  async get(key: string): Promise<Uint8Array | null> {
    requireImageKey(key);
    return this.#ask("get", async (s3, options) => {
      const { Body } = await s3.getObject(this.#place(key), options);
      return Body ? Body.transformToByteArray() : null;
    });
  }

  async delete(key: string): Promise<void> {
    requireImageKey(key);
    await this.#ask("delete", (s3, options) => s3.deleteObject(this.#place(key), options));
  }

  async *list(): AsyncGenerator<StoredObject> {
    const { bucket, prefix, pageSize: MaxKeys } = this.#settings;
    let from: string | undefined;
    do {
      const request = { Bucket: bucket, Prefix: prefix, MaxKeys, ContinuationToken: from };
      const page = await this.#ask("list", (s3, options) => s3.listObjectsV2(request, options));
      for (const { Key = "", Size = 0, LastModified } of page?.Contents ?? []) {
        const key = Key.slice(prefix.length);
        if (isImageKey(key) && LastModified) yield { key, bytes: Size, modifiedDate: LastModified };
      }
      from = page?.NextContinuationToken;
    } while (from !== undefined);
  }

  #place(key: string) {
    const { bucket, prefix } = this.#settings;
    return { Bucket: bucket, Key: `${prefix}${key}` };
  }

  /** What the store answers, or null where it says that there is no such key. */
  async #ask<T>(
    operation: string,
    send: (s3: S3, options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T | null> {
    try {
      this.#client ??= connect(this.#settings);
      return await send(await this.#client, {
        abortSignal: AbortSignal.timeout(this.#settings.operationMs ?? OPERATION_MS),
      });
    } catch (error) {
      if (property(error, "name") === "NoSuchKey") return null;
      throw toUnavailable(operation, error);
    }
  }
}

/** The SDK takes a fifth of a second to load: only an installation that uses it waits for it. */
async function connect(settings: S3Settings): Promise<S3> {
  const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const sdk = await import("@aws-sdk/client-s3");
  return new sdk.S3({
    region,
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    // Stores other than Amazon's know nothing of its newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}
