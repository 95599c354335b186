import type { Source } from "./source";

/** `array`: the values of one list. `page`: those of the list `results`. `records`: values that follow each other. */
export type DocumentForm = "array" | "page" | "records";

/** One value, cut out and not parsed (null where it is too long), or why none can be told from here on; `start`: its first byte. */
export type Part = { start: number } & ({ bytes: Uint8Array | null } | { broken: string });

const [QUOTE, COMMA, COLON, ESCAPE] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [91, 93, 123, 125];
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const RESULTS = Buffer.from("results");
const DEPTH: Record<DocumentForm, number> = { array: 1, page: 2, records: 0 };

/**
 * Cuts a JSON document into its values, one at a time. Each is parsed by itself afterwards, so that a fault in one of them
 * costs neither those before it nor, where its brackets and quotes are whole, those after it.
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
  /** Within how many brackets the values stand. */
  readonly #level: number;
  #where: "before" | "values" | "after";
  #depth = 0;
  #inText = false;
  #escaped = false;
  #count = 0;
  #held: Buffer[] = [];
  #length = 0;
  /** Where in the file the value begins that is being read. */
  #start = 0;
  readonly #key = new KeyWatch();

  constructor(form: DocumentForm, maxBytes: number) {
    this.#form = form;
    this.#maxBytes = maxBytes;
    this.#level = DEPTH[form];
    this.#where = form === "records" ? "values" : "before";
  }

  /** @param offset where in the file the chunk begins */
  *take(chunk: Buffer, offset: number): Generator<Part> {
    let from = 0;
    const goOnAt = (at: number) => {
      from = at;
      this.#start = offset + at;
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#where !== "values" && this.#isOutside(byte)) {
        if (byte > 32) return yield { start: offset + at, broken: "something follows the list" };
      } else if (!this.#isSign(byte)) {
      } else if (byte === OPEN || byte === OPEN_LIST) {
        if (byte === OPEN_LIST && this.#opensValues()) {
          this.#where = "values";
          goOnAt(at + 1);
        }
        this.#depth++;
      } else if (byte === COMMA) {
        if (this.#where !== "values" || this.#level === 0 || this.#depth !== this.#level) continue;
        yield this.#cut(chunk.subarray(from, at));
        goOnAt(at + 1);
      } else {
        this.#depth--;
        if (this.#where !== "values" || this.#depth > Math.max(0, this.#level - 1)) continue;
        if (this.#depth < 0 || (this.#level > 0 && byte !== CLOSE_LIST)) {
          yield* this.#close(chunk.subarray(from, at));
          return yield { start: offset + at, broken: "a bracket closes what was not open" };
        }
        if (this.#level === 0) yield this.#cut(chunk.subarray(from, at + 1));
        else yield* this.#close(chunk.subarray(from, at));
        goOnAt(at + 1);
      }
    }
    this.#hold(chunk.subarray(from));
  }

  *end(): Generator<Part> {
    const isWhole =
      this.#form === "records" ? this.#isEmpty() && this.#depth === 0 : this.#where === "after" && this.#depth === 0;
    const broken = this.#where === "before" ? "it holds no list of results" : "it ends too early";
    if (!isWhole) yield { start: this.#start, broken };
  }

  /** Looks at a byte that belongs to no value. @returns whether nothing but space may stand here */
  #isOutside(byte: number): boolean {
    if (this.#where === "before" && this.#form === "page") this.#key.see(byte, this.#inText, this.#escaped);
    return this.#where === "after" && this.#form === "array";
  }

  /** Whether a byte outside of texts is a bracket or a comma. */
  #isSign(byte: number): boolean {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === ESCAPE) this.#escaped = true;
      else if (byte === QUOTE) this.#inText = false;
      return false;
    }
    if (byte === QUOTE) this.#inText = true;
    return byte === COMMA || byte === OPEN || byte === CLOSE || byte === OPEN_LIST || byte === CLOSE_LIST;
  }

  #opensValues(): boolean {
    if (this.#where !== "before" || this.#depth !== this.#level - 1) return false;
    return this.#form === "array" || this.#key.isResults;
  }

  *#close(rest: Buffer): Generator<Part> {
    // An empty list holds nothing; a comma before its end says that something is missing.
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

  /** Keeps what belongs to a value that goes on; never more than a value may have, and nothing outside the list. */
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

/** Tells whether the list that opens next is the value of `results`: byte by byte, without looking back. */
class KeyWatch {
  /** How many bytes of the name were read; -1: this text is another. */
  #matched = 0;
  #state: "none" | "text" | "name" | "colon" = "none";

  get isResults(): boolean {
    return this.#state === "colon";
  }

  see(byte: number, inText: boolean, escaped: boolean): void {
    if (inText) {
      if (byte === QUOTE && !escaped) this.#state = this.#matched === RESULTS.length ? "name" : "none";
      else this.#matched = this.#matched !== -1 && RESULTS[this.#matched] === byte ? this.#matched + 1 : -1;
    } else if (byte === QUOTE) {
      this.#matched = 0;
      this.#state = "text";
    } else if (byte === COLON) this.#state = this.#state === "name" ? "colon" : "none";
    // The bracket that opens the list asks after this call.
    else if (byte > 32 && byte !== OPEN_LIST) this.#state = "none";
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= 32);
