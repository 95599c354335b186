/**
 * Builds one row of a CSV file line by line (RFC 4180). It tolerates what exports often get wrong: it ignores spaces before a quote, and
 * treats a quote inside an unquoted cell as text. It reads each character a bounded number of times.
 */
export class CsvRow {
  readonly cells: string[] = [];
  readonly #delimiter: string;
  /** The lines so far of a quoted cell that continues on the next line. */
  #open: string[] | null = null;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /**
   * Adds a line without its line break.
   *
   * @returns `open` if a quoted cell continues on the next line, `damaged` if text follows the closing quote of a multi-line cell
   */
  add(line: string): "whole" | "open" | "damaged" {
    let at = 0;
    if (this.#open) {
      this.#open.push("\n");
      const end = this.#readQuoted(line, 0, this.#open);
      if (end === -1) return "open";
      const next = this.#skipBlanks(line, end);
      if (!this.#endsAt(line, next)) return "damaged";
      this.#put(this.#open.join(""));
      this.#open = null;
      if (next >= line.length) return "whole";
      at = next + 1;
    }
    for (;;) {
      const start = this.#skipBlanks(line, at);
      if (line[start] === '"') {
        const parts: string[] = [];
        const end = this.#readQuoted(line, start + 1, parts);
        if (end === -1) {
          this.#open = parts;
          return "open";
        }
        const next = this.#skipBlanks(line, end);
        if (this.#endsAt(line, next)) {
          this.#put(parts.join(""));
          if (next >= line.length) return "whole";
          at = next + 1;
          continue;
        }
      }
      const next = line.indexOf(this.#delimiter, at);
      this.#put(line.slice(at, next === -1 ? undefined : next));
      if (next === -1) return "whole";
      at = next + 1;
    }
  }

  /** Reads a quoted cell from here. Returns the position after its closing quote, or -1 if the line has none. */
  #readQuoted(line: string, from: number, parts: string[]): number {
    for (let at = from; ; ) {
      const quote = line.indexOf('"', at);
      if (quote === -1) {
        parts.push(line.slice(at));
        return -1;
      }
      const isDoubled = line[quote + 1] === '"';
      parts.push(line.slice(at, isDoubled ? quote + 1 : quote));
      if (!isDoubled) return quote + 1;
      at = quote + 2;
    }
  }

  #skipBlanks(line: string, from: number): number {
    let at = from;
    while (line[at] === " " || (line[at] === "\t" && this.#delimiter !== "\t")) at++;
    return at;
  }

  #endsAt(line: string, at: number): boolean {
    return at >= line.length || line[at] === this.#delimiter;
  }

  #put(cell: string): void {
    this.cells.push(cell.trim());
  }
}
