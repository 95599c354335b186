import path from "node:path";
import { config } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { LocalImageStore } from "./local-image-store";
import { S3ImageStore } from "./s3-image-store";

/** An object in a store: an image under its key, or a draft that a killed writer left behind (`isDraft`). */
export interface StoredObject {
  key: string;
  bytes: number;
  modifiedDate: Date;
}

/**
 * Stores the bytes of card images under random keys, which reveal nothing about the patient. All methods throw OverloadedError if the store
 * can't be reached, is full or rejects the operation.
 */
export interface ImageStore {
  /** Stores or replaces the bytes of a key. When it returns, a crash can't lose them. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns the bytes of a key, or null if there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Deletes a key or draft, if it exists. */
  delete(key: string): Promise<void>;
  /** Fails unless images can be read and stored, as far as this can be checked without storing one. */
  check(): Promise<void>;
  /** Lists all objects. It may or may not include objects that are added or deleted meanwhile. */
  list(): AsyncIterable<StoredObject>;
}

/** Returns the store that the settings choose. */
export function imageStore(): ImageStore {
  return processWide("crosswalkImageStore", openStore);
}

function openStore(): ImageStore {
  const settings = config();
  if (settings.IMAGE_STORE === "local") return new LocalImageStore(path.resolve(settings.IMAGE_STORE_DIR));
  return new S3ImageStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET ?? "",
    prefix: settings.S3_PREFIX,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
  });
}
