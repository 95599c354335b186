import { existsSync } from "node:fs";
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { property } from "@/lib/platform/objects";
import { DRAFT_SUFFIX, isDraft, isImageKey, requireImageKey } from "./image-key";
import type { ImageStore, StoredObject } from "./image-store";
import { toUnavailable, type UnwrittenFile } from "./store-failure";

/** Stores card images as local files, in subfolders named by the first characters of their keys. */
export class LocalImageStore implements ImageStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = path.resolve(folder);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    requireImageKey(key);
    const target = this.#path(key);
    await this.#write(target, bytes).catch(async (error: unknown) => {
      throw toUnavailable("put", error, await describeUnwritten(error, target, bytes.length));
    });
  }

  async get(key: string): Promise<Uint8Array | null> {
    requireImageKey(key);
    return orAbsent("get", readFile(this.#path(key)));
  }

  async delete(key: string): Promise<void> {
    if (!isDraft(key)) requireImageKey(key);
    await orAbsent("delete", rm(this.#path(key)));
  }

  async check(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true });
      await access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw toUnavailable("check", error);
    }
  }

  async *list(): AsyncGenerator<StoredObject> {
    const folders = (await orAbsent("list", readdir(this.#folder))) ?? [];
    for (const folder of folders.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const names = (await orAbsent("list", readdir(path.join(this.#folder, folder)))) ?? [];
      for (const key of names.filter((name) => isImageKey(name) || isDraft(name)).sort()) {
        const found = await orAbsent("list", stat(this.#path(key)));
        if (found) yield { key, bytes: found.size, modifiedDate: found.mtime };
      }
    }
  }

  async #write(target: string, bytes: Uint8Array): Promise<void> {
    const folder = path.dirname(target);
    // Write and sync under another name first, so that the key exists only when its bytes are safe.
    const draft = `${target}${DRAFT_SUFFIX}`;
    let made: string | undefined;
    const file = await open(draft, "w", 0o600).catch(async (error: unknown) => {
      if (property(error, "code") !== "ENOENT") throw error;
      made = await mkdir(folder, { recursive: true });
      return open(draft, "w", 0o600);
    });
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
    // A name is safe once its folder is synced. The same goes for the names of new folders.
    const last = made === undefined ? folder : path.dirname(made);
    for (let at = folder; at.length >= last.length; at = path.dirname(at)) {
      await syncFolder(at);
      if (at === last) break;
    }
  }

  #path(key: string): string {
    return path.join(this.#folder, key.slice(0, 2), key);
  }
}

/** Deletes the unfinished file, and returns how much space it needs and its disk has left. */
async function describeUnwritten(error: unknown, target: string, bytes: number): Promise<UnwrittenFile> {
  await rm(`${target}${DRAFT_SUFFIX}`, { force: true }).catch(() => {});
  const named = String(property(error, "path") ?? target);
  const space = await statfs(existingParent(target)).catch(() => null);
  return { path: named, bytes, ...(space && { free: space.bavail * space.bsize }) };
}

/** Returns the nearest existing folder, because that of the store may be missing. */
function existingParent(target: string): string {
  let folder = path.dirname(target);
  while (!existsSync(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  return folder;
}

/** Returns null if there is no file of that name. */
async function orAbsent<T>(operation: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (property(error, "code") === "ENOENT") return null;
    throw toUnavailable(operation, error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
