import type { Content, ContentText, CustomTableLayout, Margins, TableCell } from "pdfmake/interfaces";
import type { Block, Column, Fact, PrintableDocument, Row } from "./schema";
import { COLORS, type StyleName, TEXT_WIDTH } from "./styles";
import { heightOf, splitText, type TextPart } from "./text";

/** pdfmake copies the rest of a paragraph for each word, so long paragraphs are several nodes. */
const PART_LINES = 120;
/** Parts up to this length stay on one page. They fit even if they take twice as many lines as estimated. */
const SHORT_LINES = 20;
const LIST_INDENT = 14;
const COLUMN_GAP = 20;
const CELL_GAP = 8;
const CELL_PADDING = 3;
/** The space required below a heading, so that it isn't the last line of a page. */
const BELOW_HEADING = 60;

/** A small piece of a document's content. Layout changes its nodes, so they can be used only once. */
export type Part = NodePart | RowPart;

/** Text with an ID, which shows which pages it is on. */
type TextNode = ContentText & { id?: string };

interface PartBase {
  texts: TextNode[];
  lines: number;
  /** The minimum height, in points. See splitText. */
  height: number;
}

interface NodePart extends PartBase {
  node: Content;
}

/** A row of a table, or a piece of one. */
interface RowPart extends PartBase {
  table: Table;
  cells: TableCell[];
  /** Whether there is a line below it. */
  isLast: boolean;
}

interface Table {
  columns: readonly Column[];
  widths: number[];
}

/** Returns the parts of a document's content, in order. */
export function* contentParts({ title, blocks }: PrintableDocument): Generator<Part> {
  yield* paragraphParts(title, "title");
  for (const block of blocks) yield* blockParts(block);
}

function blockParts(block: Block): Iterable<Part> {
  switch (block.kind) {
    case "heading":
      return headingParts(block.text);
    case "facts":
      return factsParts(block.facts);
    case "table":
      return tableParts(block.columns, block.rows);
    case "list":
      return listParts(block.items);
    case "paragraph":
      return paragraphParts(block.text, "body");
  }
}

const textNode = (text: string, style: StyleName): TextNode => ({ text, style });

function nodePart(node: Content, texts: TextNode[], lines: number, style: StyleName): NodePart {
  return { node, texts, lines, height: heightOf(style, lines) };
}

function* paragraphParts(text: string, style: StyleName, margin: Margins = [0, 0, 0, 6]): Generator<Part> {
  const parts = [...splitText(text, { style, width: TEXT_WIDTH }, PART_LINES)];
  for (const [index, part] of parts.entries()) {
    const node = textNode(part.text, style);
    if (index === parts.length - 1) node.margin = margin;
    yield nodePart(node, [node], part.lines, style);
  }
}

function* headingParts(text: string): Generator<Part> {
  const [first, second] = splitText(text, { style: "heading", width: TEXT_WIDTH }, SHORT_LINES);
  if (!first || second) return yield* paragraphParts(text, "heading", [0, 10, 0, 4]);
  const heading = textNode(first.text, "heading");
  heading.margin = [0, 0, 0, BELOW_HEADING];
  const node: Content = { stack: [heading], unbreakable: true, margin: [0, 10, 0, 4 - BELOW_HEADING] };
  yield nodePart(node, [heading], first.lines, "heading");
}

function* listParts(items: readonly string[]): Generator<Part> {
  const box = { style: "body", width: TEXT_WIDTH - LIST_INDENT } as const;
  for (const item of items) {
    for (const [index, part] of [...splitText(item, box, PART_LINES)].entries()) {
      const text = textNode(part.text, "body");
      const bullet = { ...textNode(index === 0 ? "•" : "", "body"), width: LIST_INDENT - 2 };
      const node: Content = { columns: [bullet, text], margin: [2, 0, 0, 2] };
      yield nodePart(node, [text], part.lines, "body");
    }
  }
}

/** Facts in two columns, each with its label above. */
function* factsParts(facts: readonly Fact[]): Generator<Part> {
  for (let index = 0; index < facts.length; index += 2) {
    const pair = facts.slice(index, index + 2);
    const labels = pair.map(({ label }) => label);
    const values = pair.map(({ text }) => text);
    const parts = [...sideBySide(labels, "label"), ...sideBySide(values, "body")];
    const lines = parts.reduce((sum, part) => sum + part.lines, 0);
    if (lines > SHORT_LINES) {
      yield* parts;
      continue;
    }
    const node: Content = { stack: parts.map((part) => part.node), unbreakable: true, margin: [0, 0, 0, 5] };
    const height = parts.reduce((sum, part) => sum + part.height, 0);
    yield { node, texts: parts.flatMap(({ texts }) => texts), lines, height };
  }
}

function sideBySide(columns: readonly string[], style: StyleName): NodePart[] {
  const width = (TEXT_WIDTH - COLUMN_GAP) / 2;
  const split = columns.map((text) => [...splitText(text, { style, width }, PART_LINES)]);
  return zipParts(split).map(({ texts, lines }) => {
    const nodes = texts.map((text) => ({ ...textNode(text, style), width }));
    return nodePart({ columns: nodes, columnGap: COLUMN_GAP }, nodes, lines, style);
  });
}

/** Returns the first parts of all texts, then the second parts, and so on. */
function zipParts(split: readonly TextPart[][]): { texts: string[]; lines: number }[] {
  const count = Math.max(...split.map((parts) => parts.length));
  return Array.from({ length: count }, (_, index) => {
    const parts = split.map((all) => all[index] ?? { text: "", lines: 0 });
    return { texts: parts.map(({ text }) => text), lines: Math.max(...parts.map(({ lines }) => lines)) };
  });
}

function* tableParts(columns: readonly Column[], rows: readonly Row[]): Generator<Part> {
  const total = columns.reduce((sum, { share }) => sum + share, 0);
  const usable = TEXT_WIDTH - CELL_GAP * (columns.length - 1);
  const table: Table = { columns, widths: columns.map(({ share }) => (usable * share) / total) };
  for (const row of rows) yield* rowParts(table, row);
}

function* rowParts(table: Table, { cells, marked, note }: Row): Generator<RowPart> {
  const styles = table.widths.map((_, index): StyleName => (marked?.includes(index) ? "alert" : "cell"));
  const split = table.widths.map((width, index) => [
    ...splitText(cells[index] ?? "", { style: styles[index] ?? "cell", width }, PART_LINES),
  ]);
  const zipped = zipParts(split);
  for (const [index, { texts, lines }] of zipped.entries()) {
    const nodes = texts.map((text, column) => textNode(text, styles[column] ?? "cell"));
    const isLast = index === zipped.length - 1 && !note;
    yield { table, cells: nodes, texts: nodes, lines, height: heightOf("cell", lines), isLast };
  }
  const notes = note ? [...splitText(note, { style: "note", width: TEXT_WIDTH - CELL_GAP }, PART_LINES)] : [];
  for (const [index, { text, lines }] of notes.entries()) {
    const node = textNode(text, "note");
    node.margin = [CELL_GAP, index === 0 ? 2 : 0, 0, 0];
    const spanned = table.widths.slice(1).map(() => ({}));
    const isLast = index === notes.length - 1;
    const cell = Object.assign(node, { colSpan: table.widths.length });
    yield { table, cells: [cell, ...spanned], texts: [node], lines, height: heightOf("note", lines), isLast };
  }
}

/** Nodes for the first `count` of these parts. The rows of a table become one node. */
export function toContent(parts: readonly Part[], count = parts.length): Content[] {
  const content: Content[] = [];
  for (let index = 0; index < count; ) {
    const part = parts[index];
    if (!part) break;
    const rows = "table" in part ? rowsFrom(parts, index, part.table) : [];
    content.push("table" in part ? tableNode(part.table, rows, count - index) : part.node);
    index += Math.max(1, rows.length);
  }
  return content;
}

function rowsFrom(parts: readonly Part[], start: number, table: Table): RowPart[] {
  const rows: RowPart[] = [];
  for (let index = start; index < parts.length; index++) {
    const part = parts[index];
    if (!part || !("table" in part) || part.table !== table) break;
    rows.push(part);
  }
  return rows;
}

/** Returns a table with the first `count` of these rows. Its head is repeated on each page. */
function tableNode({ columns, widths }: Table, rows: readonly RowPart[], count: number): Content {
  const shown = rows.slice(0, count);
  const head = columns.map(({ title }) => textNode(title, "columnTitle"));
  const layout: CustomTableLayout = {
    hLineWidth: (line) => (line < 2 ? line : shown[line - 2]?.isLast ? 0.5 : 0),
    hLineColor: COLORS.line,
    vLineWidth: () => 0,
    paddingLeft: (column) => (column === 0 ? 0 : CELL_GAP),
    paddingRight: () => 0,
    paddingTop: (row) => (row < 2 || shown[row - 2]?.isLast ? CELL_PADDING : 0),
    paddingBottom: (row) => (row === 0 || shown[row - 1]?.isLast ? CELL_PADDING : 0),
  };
  const table = {
    widths,
    headerRows: 1,
    keepWithHeaderRows: rows[0] && rows[0].lines <= SHORT_LINES ? 1 : 0,
    dontBreakRows: rows.every(({ lines }) => lines <= SHORT_LINES),
    body: [head, ...shown.map(({ cells }) => cells)],
  };
  return { table, layout, margin: [0, 0, 0, 8] };
}
