import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { toError } from "@/lib/platform/objects";

const BUFFERED_BYTES = 256 * 1024;

/**
 * Opens a temporary file that has no name: it is private, and gone as soon as it is closed, even by a kill.
 *
 * @returns its descriptor, for reading and writing
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

/** Lines in a temporary file: first written, then read from the first one on. */
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
    if (this.#held.length > 0) writeWhole(this.#descriptor, Buffer.from(this.#held.join("")));
    this.#held = [];
    this.#length = 0;
  }

  /** The next line; null at the end. */
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
      // A line that is longer than a part takes parts of growing length: it is not copied again for each.
      const part = Buffer.allocUnsafe(Math.max(BUFFERED_BYTES, from));
      const length = placed(() => fs.readSync(this.#descriptor, part, 0, part.length, this.#position));
      if (length === 0) return null;
      this.#position += length;
      this.#rest = Buffer.concat([this.#rest, part.subarray(0, length)]);
    }
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}

export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; )
    at += placed(() => fs.writeSync(descriptor, bytes, at), { bytes: bytes.length - at });
}

/** Says in a failure where the nameless file is, how many bytes it needs, and how many are free there. */
function placed<T>(work: () => T, needs: { bytes?: number } = {}): T {
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
