import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { toError } from "@/lib/platform/objects";

const BUFFERED_BYTES = 256 * 1024;

/**
 * Opens a temporary file and removes its name, so that only this process can read it and it disappears even if the process is killed.
 * Returns its descriptor, for reading and writing.
 */
export function openTemporaryFile(): number {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-"));
  try {
    const file = path.join(folder, "rows");
    const descriptor = fs.openSync(file, "wx+", 0o600);
    fs.unlinkSync(file);
    return descriptor;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines in a temporary file: write all of them, then read them from the start. */
export class LineFile {
  readonly #descriptor = openTemporaryFile();
  #held: string[] = [];
  #length = 0;
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  write(line: string): void {
    this.#held.push(line, "\n");
    this.#length += line.length;
    if (this.#length >= BUFFERED_BYTES) this.#flush();
  }

  #flush(): void {
    if (this.#held.length > 0) writeAll(this.#descriptor, Buffer.from(this.#held.join("")));
    this.#held = [];
    this.#length = 0;
  }

  /** Returns the next line, or null at the end. */
  read(): string | null {
    this.#flush();
    for (let from = 0; ; ) {
      const end = this.#rest.indexOf(10, from);
      if (end !== -1) {
        const line = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      from = this.#rest.length;
      // For a long line, each read is as large as the text so far, so that the line is not copied once for each chunk.
      const part = Buffer.allocUnsafe(Math.max(BUFFERED_BYTES, from));
      const length = withDiskSpace(() => fs.readSync(this.#descriptor, part, 0, part.length, this.#position));
      if (length === 0) return null;
      this.#position += length;
      this.#rest = Buffer.concat([this.#rest, part.subarray(0, length)]);
    }
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}

/** Writes all bytes, in as many steps as it takes. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; )
    at += withDiskSpace(() => fs.writeSync(descriptor, bytes, at), { bytes: bytes.length - at });
}

/** Adds the folder of the nameless file, the bytes it needs, and the bytes that are free there to an error. */
function withDiskSpace<T>(work: () => T, needs: { bytes?: number } = {}): T {
  try {
    return work();
  } catch (error) {
    throw Object.assign(toError(error), { path: os.tmpdir(), ...needs, free: freeBytes(os.tmpdir()) });
  }
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
