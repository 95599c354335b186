import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { ImageStore } from "./image-store";

/** Card images as files of a local folder, spread over subfolders by the first characters of their keys. */
export class LocalImageStore implements ImageStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = path.resolve(folder);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const target = this.#pathOf(key);
    const folder = path.dirname(target);
    const made = await mkdir(folder, { recursive: true });
    // Written whole and synced under another name first: the key exists exactly when its bytes are safe.
    const draft = `${target}.part`;
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
    // A name is safe once the folder that holds it is: so is the name of a folder that was made for it.
    const last = made === undefined ? folder : path.dirname(made);
    for (let at = folder; at.length >= last.length; at = path.dirname(at)) {
      await syncFolder(at);
      if (at === last) break;
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    return readFile(this.#pathOf(key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  #pathOf(key: string): string {
    if (!/^[0-9a-f-]{36}$/.test(key)) throw new RangeError("not an image key");
    return path.join(this.#folder, key.slice(0, 2), key);
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
