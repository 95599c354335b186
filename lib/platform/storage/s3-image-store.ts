import { createHash } from "node:crypto";
import type { S3 } from "@aws-sdk/client-s3";
import { SpanKind } from "@opentelemetry/api";
import { property } from "@/lib/platform/objects";
import { inSpan } from "@/lib/platform/tracing";
import { ABSENT_KEY, isImageKey, requireImageKey } from "./image-key";
import type { ImageStore, StoredObject } from "./image-store";
import { toUnavailable } from "./store-failure";

/** Address and credentials of an S3-compatible store. */
export interface S3Settings {
  /** Default: Amazon S3 in the region. */
  endpoint?: string | undefined;
  region: string;
  bucket: string;
  /** Prepended to every key. Other objects in the bucket are ignored. */
  prefix: string;
  forcePathStyle: boolean;
  /** Default: the credentials that the SDK finds (environment, profile, instance role). */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  /** Timeout of an operation, including retries. */
  operationMs?: number;
  /** Keys per page of a list. Default: the maximum that the store allows (1,000). */
  pageSize?: number;
}

const CONNECT_MS = 2_000;
/** Time until the first byte of the response. It includes the upload, up to 10 MiB. */
const RESPONSE_MS = 15_000;
const OPERATION_MS = 25_000;
const ATTEMPTS = 3;

/** Stores card images in an S3-compatible store. It sends only the image, its key, a content type and a checksum. */
export class S3ImageStore implements ImageStore {
  readonly #settings: S3Settings;
  #client: Promise<S3> | undefined;

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    requireImageKey(key);
    // The store compares the checksum and rejects bytes damaged in transit.
    const ContentMD5 = createHash("md5").update(bytes).digest("base64");
    const object = { ...this.#object(key), Body: bytes, ContentType: "application/octet-stream", ContentMD5 };
    await this.#send("put", (s3, options) => s3.putObject(object, options));
  }

  async get(key: string): Promise<Uint8Array | null> {
    requireImageKey(key);
    return this.#read("get", key);
  }

  async delete(key: string): Promise<void> {
    requireImageKey(key);
    await this.#send("delete", (s3, options) => s3.deleteObject(this.#object(key), options));
  }

  async check(): Promise<void> {
    await this.#read("check", ABSENT_KEY);
  }

  async *list(): AsyncGenerator<StoredObject> {
    const { bucket, prefix, pageSize: MaxKeys } = this.#settings;
    let token: string | undefined;
    do {
      const request = { Bucket: bucket, Prefix: prefix, MaxKeys, ContinuationToken: token };
      const page = await this.#send("list", (s3, options) => s3.listObjectsV2(request, options));
      for (const { Key = "", Size = 0, LastModified } of page?.Contents ?? []) {
        const key = Key.slice(prefix.length);
        if (isImageKey(key) && LastModified) yield { key, bytes: Size, modifiedDate: LastModified };
      }
      token = page?.NextContinuationToken;
    } while (token !== undefined);
  }

  #read(operation: "get" | "check", key: string): Promise<Uint8Array | null> {
    return this.#send(operation, async (s3, options) => {
      const { Body } = await s3.getObject(this.#object(key), options);
      return Body ? Body.transformToByteArray() : null;
    });
  }

  #object(key: string) {
    const { bucket, prefix } = this.#settings;
    return { Bucket: bucket, Key: `${prefix}${key}` };
  }

  /** Sends a request. Returns null if the key does not exist. */
  async #send<T>(
    operation: string,
    send: (s3: S3, options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T | null> {
    try {
      this.#client ??= connectS3(this.#settings);
      const s3 = await this.#client;
      const abortSignal = AbortSignal.timeout(this.#settings.operationMs ?? OPERATION_MS);
      return await inSpan({ name: `images.${operation}`, kind: SpanKind.CLIENT }, () => send(s3, { abortSignal }));
    } catch (error) {
      if (property(error, "name") === "NoSuchKey") return null;
      throw toUnavailable(operation, error);
    }
  }
}

/** Returns a client of a store. Loads the SDK only if the settings use it, because that takes 0.2 s. */
export async function connectS3(settings: Omit<S3Settings, "bucket" | "prefix">): Promise<S3> {
  const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const sdk = await import("@aws-sdk/client-s3");
  return new sdk.S3({
    region,
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    // Other stores don't support Amazon's newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: RESPONSE_MS, throwOnRequestTimeout: true },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}
