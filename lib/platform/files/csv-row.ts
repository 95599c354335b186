/**
 * One row of a CSV file, built line by line (RFC 4180). Exports are often not quite CSV: spaces before a quote are ignored, and a
 * quote inside a cell that is not quoted as a whole is text. Each character is read a bounded number of times.
 */
export class CsvRow {
  readonly cells: string[] = [];
  readonly #delimiter: string;
  /** The parts of a quoted cell that goes on in the next line. */
  #open: string[] | null = null;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /**
   * Adds a line without its end.
   *
   * @returns open: a quoted cell goes on in the next line; damaged: a quote is closed in the middle of a cell of several lines
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

  /** Reads a quoted cell from here on. @returns the place after its closing quote; -1 where the line ends before it */
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
