/** PostgreSQL's binary format of jsonb begins with its version. The text follows. */
const FORMAT_VERSION = "\u0001";
/** The most bytes that a UTF-16 code unit has in UTF-8. */
const MAX_UNIT_BYTES = 3;
const FIRST_BYTES = 64 * 1024;

/**
 * Collects an array for a parameter of type jsonb, as bytes. Large texts are slow: garbage collection copies them, and pg measures and
 * encodes each before it sends it.
 */
export class JsonArray {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = this.#bytes.write(`${FORMAT_VERSION}[`, "latin1");
  #separator = "";

  /** Adds an element, in parts of its JSON. */
  add(...parts: readonly string[]): void {
    this.#write(this.#separator);
    for (const part of parts) this.#write(part);
    this.#separator = ",";
  }

  /** Ends the array and returns the parameter. */
  end(): Buffer {
    this.#write("]");
    return this.#bytes.subarray(0, this.#length);
  }

  #write(text: string): void {
    const needed = this.#length + text.length * MAX_UNIT_BYTES;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(text, this.#length);
  }
}
