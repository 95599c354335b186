import { SaxesParser } from "saxes";
import { toError } from "@/lib/platform/objects";
import type { TableRow } from "./read-rows";
import type { OpenZip } from "./read-zip";
import { inMib, READING_LIMITS } from "./reading-limits";
import { isDamage, unreadableFile } from "./unpack";
import { formatNumber, type NumberFormat, parseColumn, readNumberFormat } from "./workbook-cells";

const { workbookBytes, columns: maxColumns, rowBytes } = READING_LIMITS;
/** A table has headings and at least one row. */
const MIN_TABLE_ROWS = 2;

type Attributes = Record<string, string>;

/** Callbacks for the XML elements of a part of a workbook. Element names have no prefix. */
interface Handler {
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
  /** Called after each chunk of the file. Returns the rows that are complete. */
  chunkEnd?: () => Iterable<TableRow>;
}

export const isWorkbook = ({ entries }: OpenZip) => entries.has("xl/workbook.xml");

/**
 * Reads the rows of the only sheet of an Excel workbook with data (ECMA-376) as if they came from a CSV file. Dates become YYYY-MM-DD, ZIP
 * codes and the like keep their leading zeros and separators, and other numbers lose their format. Rows are streamed, and only the shared
 * strings of the workbook are kept in memory.
 *
 * @throws BusinessRuleError file_unreadable
 */
export async function* readWorkbook(zip: OpenZip): AsyncGenerator<TableRow> {
  const parts = new Parts(zip);
  const { sheets, from1904 } = await readSheets(parts);
  const formats = await readFormats(parts);
  const texts = await readSharedStrings(parts);
  const open = (part: string) => parts.read(part, new Rows(texts, formats, from1904));
  yield* open(await chooseSheet(sheets, open));
}

/** A sheet of a workbook, and the part of the file with its rows. */
interface Sheet {
  name: string;
  part: string;
}

/**
 * Chooses the only sheet with data, or the first one if all are empty.
 *
 * @throws BusinessRuleError file_unreadable if several sheets have data
 */
async function chooseSheet(
  sheets: readonly Sheet[],
  open: (part: string) => AsyncGenerator<TableRow>,
): Promise<string> {
  if (sheets.length === 1) return sheets[0]?.part ?? "";
  const filled: Sheet[] = [];
  for (const sheet of sheets) if (await holdsData(open(sheet.part))) filled.push(sheet);
  if (filled.length > 1) {
    const names = filled.map(({ name }) => name).slice(0, 5);
    throw unreadableFile(
      `The workbook has several sheets with data (${names.join(", ")}). Keep the one with the export.`,
    );
  }
  return (filled[0] ?? sheets[0])?.part ?? "";
}

async function holdsData(rows: AsyncGenerator<TableRow>): Promise<boolean> {
  let count = 0;
  for await (const row of rows) {
    if ("reason" in row || row.cells.some((cell) => cell !== "")) count++;
    if (count === MIN_TABLE_ROWS) return true;
  }
  return false;
}

/** The XML parts of a workbook. Together they may unpack to `workbookBytes`. */
class Parts {
  readonly #zip: OpenZip;
  #left: number = workbookBytes;

  constructor(zip: OpenZip) {
    this.#zip = zip;
  }

  async *read(name: string, handler: Handler): AsyncGenerator<TableRow> {
    const entry = this.#zip.entries.get(name);
    if (!entry) return;
    const { open, text, close } = handler;
    if (entry.uncompressedSize > this.#left) {
      throw unreadableFile(`The workbook decompresses to more than ${inMib(workbookBytes)}. Save it as CSV.`);
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
      yield* handler.chunkEnd?.() ?? [];
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
      if (!isDamage(toError(error))) throw error;
      throw unreadableFile(`The workbook is damaged (${name}). Save it again as .xlsx or CSV.`);
    }
  }

  async readWhole(name: string, handler: Handler): Promise<void> {
    for await (const _row of this.read(name, handler));
  }
}

const bare = (name: string) => name.slice(name.indexOf(":") + 1);

async function readSheets(parts: Parts): Promise<{ sheets: Sheet[]; from1904: boolean }> {
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
  return { sheets: sheets.map(({ name, relation }) => ({ name, part: targets.get(relation) ?? "" })), from1904 };
}

/** Reads the number format of each style. */
async function readFormats(parts: Parts): Promise<NumberFormat[]> {
  const codes = new Map<number, string>();
  const formats = new Map<number, NumberFormat>();
  const styles: NumberFormat[] = [];
  let isInCells = false;
  await parts.readWhole("xl/styles.xml", {
    open: (element, attributes) => {
      if (element === "numFmt") codes.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
      if (element === "cellXfs") isInCells = true;
      if (element !== "xf" || !isInCells) return;
      const id = Number(attributes.numFmtId ?? 0);
      if (!formats.has(id)) formats.set(id, readNumberFormat(id, codes.get(id)));
      styles.push(formats.get(id) ?? null);
    },
    close: (element) => {
      if (element === "cellXfs") isInCells = false;
    },
  });
  return styles;
}

/** Reads the shared strings, without phonetic readings. */
async function readSharedStrings(parts: Parts): Promise<string[]> {
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

/** Builds the rows of a sheet from its elements. */
class Rows implements Handler {
  readonly #texts: readonly string[];
  readonly #formats: readonly NumberFormat[];
  readonly #from1904: boolean;
  #ready: TableRow[] = [];
  #number = 0;
  /** Number of headings. */
  #width = 0;
  #bytes = 0;
  #cells: string[] = [];
  #numbers: Map<number, string> | null = null;
  /** The column of a cell that has no reference: the one after the previous cell. */
  #nextColumn = 0;
  #fault: string | null = null;
  #cell: { column: number; type: string; style: number } | null = null;
  #value = "";
  #isValue = false;

  constructor(texts: readonly string[], formats: readonly NumberFormat[], from1904: boolean) {
    this.#texts = texts;
    this.#formats = formats;
    this.#from1904 = from1904;
  }

  open = (element: string, attributes: Attributes): void => {
    const { r: place, t: type = "n", s: style } = attributes;
    if (element === "row") {
      this.#number = Number(place) || this.#number + 1;
      this.#cells = [];
      this.#numbers = null;
      this.#nextColumn = 0;
      this.#fault = null;
      this.#bytes = 0;
    } else if (element === "c") {
      const column = parseColumn(place ?? "") ?? this.#nextColumn;
      this.#nextColumn = column + 1;
      this.#cell = { column, type, style: Number(style ?? 0) };
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

  *chunkEnd(): Generator<TableRow> {
    yield* this.#ready;
    this.#ready = [];
  }

  #putCell(): void {
    const { column, type, style } = this.#cell ?? { column: 0, type: "n", style: 0 };
    this.#cell = null;
    if (this.#value === "") return;
    if (column >= maxColumns) {
      this.#fault ??= `has more than ${maxColumns} cells`;
      return;
    }
    const text = this.#readCell(type, style);
    if (text === null) this.#fault ??= `has an unreadable cell in column ${column + 1}: ${this.#value.slice(0, 40)}`;
    const number = type === "n" && this.#isDigits(style) ? formatNumber(this.#value) : null;
    if (number !== null) this.#numbers = (this.#numbers ?? new Map()).set(column, number);
    while (this.#cells.length < column) this.#cells.push("");
    this.#cells[column] = (text ?? "").trim();
  }

  #readCell(type: string, style: number): string | null {
    if (type === "s") return this.#texts[Number(this.#value)] ?? null;
    if (type === "e") return null;
    if (type === "b") return this.#value === "1" ? "TRUE" : "FALSE";
    if (type === "d") return this.#value.slice(0, 10);
    if (type !== "n") return this.#value;
    return formatNumber(this.#value, this.#formats[style], this.#from1904);
  }

  #isDigits = (style: number) => Array.isArray(this.#formats[style]);

  #putRow(): void {
    const place = { number: this.#number, bytesRead: 0, ...(this.#numbers && { numbers: this.#numbers }) };
    // A workbook does not store empty cells at the end of a row, so fill rows up to the width of the headings.
    this.#width ||= this.#cells.length;
    while (this.#cells.length > 0 && this.#cells.length < this.#width) this.#cells.push("");
    if (this.#fault !== null) this.#ready.push({ ...place, reason: this.#fault, partial: this.#cells });
    else if (this.#cells.length > 0) this.#ready.push({ ...place, cells: this.#cells });
  }
}
