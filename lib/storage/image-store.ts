import path from "node:path";
import { config } from "@/lib/config";
import { LocalImageStore } from "./local-image-store";

/** Where the bytes of card images live. Keys are random and say nothing about the patient. */
export interface ImageStore {
  /** Keeps bytes under a new key; when it returns, a crash can't lose them. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes of a key, or null where there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Forgets a key; one that is absent is no error. */
  delete(key: string): Promise<void>;
}

let store: ImageStore | undefined;

/** The store of this installation. */
export function imageStore(): ImageStore {
  const { IMAGE_STORE_DIR: folder, CROSSWALK_DATA_DIR: data } = config();
  store ??= new LocalImageStore(path.resolve(folder ?? path.join(data, "images")));
  return store;
}
