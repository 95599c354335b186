import type { Source } from "./source";

/** Where the values are: in a list (`array`), in the list `results` of an object (`page`), or one after another (`records`). */
export type DocumentForm = "array" | "page" | "records";

/** The text of one value (null if it is too long), or the reason why the document can't be split further. `start` is the offset of its first byte. */
export type Part = { start: number } & ({ bytes: Uint8Array | null } | { broken: string });

const [QUOTE, COMMA, COLON, ESCAPE] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [91, 93, 123, 125];
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const RESULTS = Buffer.from("results");
const DEPTH: Record<DocumentForm, number> = { array: 1, page: 2, records: 0 };

/**
 * Splits a JSON document into its values without parsing them. Each is then parsed separately, so that an invalid value does not affect those
 * before it, nor those after it as long as its brackets and quotes are balanced.
 */
export async function* splitJson(
  source: Source,
  { form, maxBytes }: { form: DocumentForm; maxBytes: number },
): AsyncGenerator<Part & { bytesRead: number }> {
  const splitter = new Splitter(form, maxBytes);
  let bytesRead = 0;
  for await (const chunk of source.read()) {
    let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytesRead === 0 && buffer.subarray(0, 3).equals(BYTE_ORDER_MARK)) buffer = buffer.subarray(3);
    bytesRead += chunk.length;
    for (const part of splitter.take(buffer, bytesRead - buffer.length)) {
      yield { ...part, bytesRead };
      if ("broken" in part) return;
    }
  }
  for (const part of splitter.end()) yield { ...part, bytesRead };
}

class Splitter {
  readonly #form: DocumentForm;
  readonly #maxBytes: number;
  /** Number of brackets around the values. */
  readonly #level: number;
  #where: "before" | "values" | "after";
  #depth = 0;
  #inString = false;
  #escaped = false;
  #count = 0;
  #held: Buffer[] = [];
  #length = 0;
  /** Offset of the current value. */
  #start = 0;
  readonly #key = new KeyMatcher();

  constructor(form: DocumentForm, maxBytes: number) {
    this.#form = form;
    this.#maxBytes = maxBytes;
    this.#level = DEPTH[form];
    this.#where = form === "records" ? "values" : "before";
  }

  /** @param offset of the chunk in the file */
  *take(chunk: Buffer, offset: number): Generator<Part> {
    let from = 0;
    const continueAt = (at: number) => {
      from = at;
      this.#start = offset + at;
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#where !== "values" && this.#isOutside(byte)) {
        if (byte > 32) return yield { start: offset + at, broken: "there is text after the list" };
      } else if (!this.#isStructural(byte)) {
      } else if (byte === OPEN || byte === OPEN_LIST) {
        if (byte === OPEN_LIST && this.#opensValues()) {
          this.#where = "values";
          continueAt(at + 1);
        }
        this.#depth++;
      } else if (byte === COMMA) {
        if (this.#where !== "values" || this.#level === 0 || this.#depth !== this.#level) continue;
        yield this.#cut(chunk.subarray(from, at));
        continueAt(at + 1);
      } else {
        this.#depth--;
        if (this.#where !== "values" || this.#depth > Math.max(0, this.#level - 1)) continue;
        if (this.#depth < 0 || (this.#level > 0 && byte !== CLOSE_LIST)) {
          yield* this.#close(chunk.subarray(from, at));
          return yield { start: offset + at, broken: "a closing bracket has no opening one" };
        }
        if (this.#level === 0) yield this.#cut(chunk.subarray(from, at + 1));
        else yield* this.#close(chunk.subarray(from, at));
        continueAt(at + 1);
      }
    }
    this.#hold(chunk.subarray(from));
  }

  *end(): Generator<Part> {
    const isWhole =
      this.#form === "records" ? this.#isEmpty() && this.#depth === 0 : this.#where === "after" && this.#depth === 0;
    const broken = this.#where === "before" ? "it has no list of results" : "it ends too early";
    if (!isWhole) yield { start: this.#start, broken };
  }

  /** Reads a byte outside of the values. Returns whether only space is allowed here. */
  #isOutside(byte: number): boolean {
    if (this.#where === "before" && this.#form === "page") this.#key.see(byte, this.#inString, this.#escaped);
    return this.#where === "after" && this.#form === "array";
  }

  /** Returns whether a byte is a bracket or a comma outside of strings. */
  #isStructural(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === ESCAPE) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    return byte === COMMA || byte === OPEN || byte === CLOSE || byte === OPEN_LIST || byte === CLOSE_LIST;
  }

  #opensValues(): boolean {
    if (this.#where !== "before" || this.#depth !== this.#level - 1) return false;
    return this.#form === "array" || this.#key.isResults;
  }

  *#close(rest: Buffer): Generator<Part> {
    // An empty list has no value, but a comma before its end means that one is missing.
    const isValue = (this.#count > 0 && this.#level > 0) || !isBlank(rest) || !this.#isEmpty();
    const part = isValue ? this.#cut(rest) : null;
    this.#where = "after";
    if (part) yield part;
  }

  #cut(rest: Buffer): Part {
    this.#hold(rest);
    const bytes = this.#length > this.#maxBytes ? null : Buffer.concat(this.#held);
    this.#held = [];
    this.#length = 0;
    this.#count++;
    return { start: this.#start, bytes };
  }

  /** Keeps the part of a value that continues in the next chunk, up to the maximum size of a value. */
  #hold(rest: Buffer): void {
    if (this.#where !== "values") return;
    this.#length += rest.length;
    if (this.#length > this.#maxBytes) this.#held = [];
    else this.#held.push(rest);
  }

  #isEmpty(): boolean {
    return this.#length <= this.#maxBytes && this.#held.every(isBlank);
  }
}

/** Recognizes the key `results`, byte by byte. */
class KeyMatcher {
  /** Bytes of the key that matched, or -1 if this is another string. */
  #matched = 0;
  #state: "none" | "text" | "name" | "colon" = "none";

  get isResults(): boolean {
    return this.#state === "colon";
  }

  see(byte: number, inString: boolean, escaped: boolean): void {
    if (inString) {
      if (byte === QUOTE && !escaped) this.#state = this.#matched === RESULTS.length ? "name" : "none";
      else this.#matched = this.#matched !== -1 && RESULTS[this.#matched] === byte ? this.#matched + 1 : -1;
    } else if (byte === QUOTE) {
      this.#matched = 0;
      this.#state = "text";
    } else if (byte === COLON) this.#state = this.#state === "name" ? "colon" : "none";
    // For the bracket that opens a list, `isResults` is read after this call.
    else if (byte > 32 && byte !== OPEN_LIST) this.#state = "none";
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= 32);
