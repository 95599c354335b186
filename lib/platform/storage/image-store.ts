import path from "node:path";
import { config } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/process-wide";
import { LocalImageStore } from "./local-image-store";
import { S3ImageStore } from "./s3-image-store";

/** What lies in a store: an image under its key, or a draft that a killed writer left (`isDraft`). */
export interface StoredObject {
  key: string;
  bytes: number;
  modifiedDate: Date;
}

/**
 * Where the bytes of card images live. Keys are random and say nothing about the patient.
 * Whatever is asked of a store that is out of reach, full or refuses: OverloadedError.
 */
export interface ImageStore {
  /** Keeps bytes under a key, in place of what it held; when it returns, a crash can't lose them. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes of a key, or null where there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Forgets a key or a draft; one that is absent is no error. */
  delete(key: string): Promise<void>;
  /** Everything there is, read in pages: what comes or goes meanwhile may be in it or not. */
  list(): AsyncIterable<StoredObject>;
}

/** The store of this installation. */
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
