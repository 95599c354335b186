/** The most bytes that a UTF-16 code unit has in UTF-8. */
const MAX_UNIT_BYTES = 3;
const FIRST_BYTES = 64 * 1024;
/** A message is its type, its length without the type, and its content. */
const HEADER_BYTES = 5;
const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from("c\0\0\0\x04", "latin1");

/**
 * Collects rows for `copyInto`, as bytes. Large texts are slow: garbage collection copies them, and pg measures and encodes each before it
 * sends it.
 */
export class CopyRows {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = HEADER_BYTES;

  get isEmpty(): boolean {
    return this.#length === HEADER_BYTES;
  }

  /** Adds a row: the texts of its columns (`copyText`), with tabs in between. */
  add(...parts: readonly string[]): void {
    for (const part of parts) this.#write(part);
    this.#write("\n");
  }

  /** Ends the rows and returns the messages that send them. */
  end(): Buffer {
    this.#reserve(COPY_DONE.length);
    this.#bytes.writeUInt8(COPY_DATA, 0);
    this.#bytes.writeUInt32BE(this.#length - 1, 1);
    this.#length += COPY_DONE.copy(this.#bytes, this.#length);
    return this.#bytes.subarray(0, this.#length);
  }

  #write(text: string): void {
    this.#reserve(text.length * MAX_UNIT_BYTES);
    this.#length += this.#bytes.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
