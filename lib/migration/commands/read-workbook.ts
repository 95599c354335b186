import { SaxesParser } from "saxes";
import { inMib, READING_LIMITS } from "../rules/reading-limits";
import { columnOf, isDateFormat, numberText } from "../rules/workbook-cells";
import type { TableRow } from "./read-rows";
import type { OpenZip } from "./read-zip";
import { unreadableFile } from "./unpack";

const { workbookBytes, columns: mostColumns, rowBytes } = READING_LIMITS;
/** A sheet of fewer bytes holds no rows. */
const EMPTY_SHEET_BYTES = 2_000;

type Attributes = Record<string, string>;

/** What is done with the elements of a part of a workbook. Names come without their prefixes. */
interface Handler {
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
  /** Called after each piece of the file. */
  piece?: () => Iterable<TableRow>;
}

export const isWorkbook = ({ entries }: OpenZip) => entries.has("xl/workbook.xml");

/**
 * The rows of an Excel workbook's one sheet (ECMA-376), as those of a CSV file: dates as YYYY-MM-DD, numbers as they are shown
 * without a format. The sheet is read piece by piece; the texts its cells share are held in memory.
 *
 * @throws BusinessRuleError file_unreadable
 */
export async function* readWorkbook(zip: OpenZip): AsyncGenerator<TableRow> {
  const parts = new Parts(zip);
  const { sheet, from1904 } = await findSheet(parts);
  const dates = await readDateStyles(parts);
  const texts = await readTexts(parts);
  const rows = new Rows(texts, dates, from1904);
  yield* parts.read(sheet, rows);
}

/** The XML parts of a workbook, as far as they may unpack in all. */
class Parts {
  readonly #zip: OpenZip;
  #left: number = workbookBytes;

  constructor(zip: OpenZip) {
    this.#zip = zip;
  }

  size(name: string): number {
    return this.#zip.entries.get(name)?.uncompressedSize ?? 0;
  }

  async *read(name: string, handler: Handler): AsyncGenerator<TableRow> {
    const entry = this.#zip.entries.get(name);
    if (!entry) return;
    const { open, text, close } = handler;
    if (entry.uncompressedSize > this.#left) {
      throw unreadableFile(`The workbook unpacks to more than ${inMib(workbookBytes)}. Save it as CSV.`);
    }
    const parser = new SaxesParser();
    let failure: Error | null = null;
    parser.on("error", (error) => {
      failure ??= error;
    });
    if (open) parser.on("opentag", (tag) => open(bare(tag.name), tag.attributes as Attributes));
    if (text) parser.on("text", text);
    if (close) parser.on("closetag", (tag) => close(bare(tag.name)));
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const take = function* (xml: string): Generator<TableRow> {
      parser.write(xml);
      if (failure) throw failure;
      yield* handler.piece?.() ?? [];
    };
    try {
      for await (const bytes of this.#zip.contents(entry, this.#left)) {
        this.#left -= bytes.length;
        yield* take(decoder.decode(bytes, { stream: true }));
      }
      yield* take(decoder.decode());
      parser.close();
      if (failure) throw failure;
    } catch (error) {
      const isOurs = (error as Error).name === "BusinessRuleError";
      throw isOurs ? error : unreadableFile(`The workbook is damaged (${name}). Save it again as .xlsx or CSV.`);
    }
  }

  async readWhole(name: string, handler: Handler): Promise<void> {
    for await (const _row of this.read(name, handler));
  }
}

const bare = (name: string) => name.slice(name.indexOf(":") + 1);

async function findSheet(parts: Parts): Promise<{ sheet: string; from1904: boolean }> {
  const sheets: { name: string; relation: string }[] = [];
  const targets = new Map<string, string>();
  let from1904 = false;
  await parts.readWhole("xl/workbook.xml", {
    open: (element, attributes) => {
      if (element === "workbookPr") from1904 = ["1", "true"].includes(attributes.date1904 ?? "");
      const relation = Object.entries(attributes).find(([key]) => bare(key) === "id")?.[1];
      if (element === "sheet") sheets.push({ name: attributes.name ?? "", relation: relation ?? "" });
    },
  });
  await parts.readWhole("xl/_rels/workbook.xml.rels", {
    open: (element, { Id: id = "", Target: target = "" }) => {
      if (element === "Relationship") targets.set(id, target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    },
  });
  const filled = sheets.flatMap(({ name, relation }) => {
    const part = targets.get(relation) ?? "";
    return parts.size(part) > EMPTY_SHEET_BYTES || sheets.length === 1 ? [{ name, part }] : [];
  });
  const [only, another] = filled;
  if (another) {
    const names = filled.map(({ name }) => name).slice(0, 5);
    throw unreadableFile(
      `The workbook has several sheets with data (${names.join(", ")}). Keep the one with the export.`,
    );
  }
  return { sheet: only?.part ?? targets.get(sheets[0]?.relation ?? "") ?? "", from1904 };
}

/** Which styles show a number as a date. */
async function readDateStyles(parts: Parts): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isInCells = false;
  await parts.readWhole("xl/styles.xml", {
    open: (element, attributes) => {
      if (element === "numFmt") codes.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
      if (element === "cellXfs") isInCells = true;
      const format = Number(attributes.numFmtId ?? 0);
      if (element === "xf" && isInCells) styles.push(isDateFormat(format, codes.get(format)));
    },
    close: (element) => {
      if (element === "cellXfs") isInCells = false;
    },
  });
  return styles;
}

/** The texts that cells share. Phonetic readings are left out. */
async function readTexts(parts: Parts): Promise<string[]> {
  const texts: string[] = [];
  let current = "";
  let isText = false;
  let isPhonetic = false;
  await parts.readWhole("xl/sharedStrings.xml", {
    open: (element) => {
      if (element === "si") current = "";
      if (element === "rPh") isPhonetic = true;
      if (element === "t") isText = !isPhonetic;
    },
    text: (text) => {
      if (isText) current += text;
    },
    close: (element) => {
      if (element === "t") isText = false;
      if (element === "rPh") isPhonetic = false;
      if (element === "si") texts.push(current);
    },
  });
  return texts;
}

/** The rows of a sheet, gathered from its elements. */
class Rows implements Handler {
  readonly #texts: readonly string[];
  readonly #dates: readonly boolean[];
  readonly #from1904: boolean;
  #ready: TableRow[] = [];
  #number = 0;
  /** How many headings there are. */
  #width = 0;
  #bytes = 0;
  #cells: string[] = [];
  /** The column after the last cell, where a cell without a place belongs. */
  #nextColumn = 0;
  #fault: string | null = null;
  #cell: { column: number; type: string; style: number } | null = null;
  #value = "";
  #isValue = false;

  constructor(texts: readonly string[], dates: readonly boolean[], from1904: boolean) {
    this.#texts = texts;
    this.#dates = dates;
    this.#from1904 = from1904;
  }

  open = (element: string, attributes: Attributes): void => {
    const { r: place, t: type = "n", s: style } = attributes;
    if (element === "row") {
      this.#number = Number(place) || this.#number + 1;
      this.#cells = [];
      this.#nextColumn = 0;
      this.#fault = null;
      this.#bytes = 0;
    } else if (element === "c") {
      const column = columnOf(place ?? "") ?? this.#nextColumn;
      this.#nextColumn = column + 1;
      this.#cell = { column, type, style: Number(style ?? -1) };
      this.#value = "";
    } else if (element === "v" || element === "t") this.#isValue = this.#cell !== null;
  };

  text = (text: string): void => {
    if (!this.#isValue) return;
    this.#bytes += text.length;
    if (this.#bytes <= rowBytes) this.#value += text;
    else this.#fault ??= `is longer than ${inMib(rowBytes)}`;
  };

  close = (element: string): void => {
    if (element === "v" || element === "t") this.#isValue = false;
    else if (element === "c") this.#putCell();
    else if (element === "row") this.#putRow();
  };

  *piece(): Generator<TableRow> {
    yield* this.#ready;
    this.#ready = [];
  }

  #putCell(): void {
    const { column, type, style } = this.#cell ?? { column: 0, type: "n", style: -1 };
    this.#cell = null;
    if (this.#value === "") return;
    if (column >= mostColumns) {
      this.#fault ??= `has more than ${mostColumns} cells`;
      return;
    }
    const text = this.#textOf(type, style);
    if (text === null) this.#fault ??= `has an unreadable cell in column ${column + 1}: ${this.#value.slice(0, 40)}`;
    while (this.#cells.length < column) this.#cells.push("");
    this.#cells[column] = (text ?? "").trim();
  }

  #textOf(type: string, style: number): string | null {
    if (type === "s") return this.#texts[Number(this.#value)] ?? null;
    if (type === "e") return null;
    if (type === "b") return this.#value === "1" ? "TRUE" : "FALSE";
    if (type === "d") return this.#value.slice(0, 10);
    if (type !== "n") return this.#value;
    return numberText(this.#value, this.#dates[style] ? { from1904: this.#from1904 } : null);
  }

  #putRow(): void {
    const place = { number: this.#number, bytesRead: 0 };
    // Empty cells at the end of a row are not stored: rows are as long as the headings.
    this.#width ||= this.#cells.length;
    while (this.#cells.length > 0 && this.#cells.length < this.#width) this.#cells.push("");
    if (this.#fault !== null) this.#ready.push({ ...place, reason: this.#fault, partial: this.#cells });
    else if (this.#cells.length > 0) this.#ready.push({ ...place, cells: this.#cells });
  }
}
