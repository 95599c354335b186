import type { Cell, SectionContent, Table, Xml } from "./schema";

/** Renders the part of a section that people read: its tables and paragraphs. */
export function renderNarrative({ tables = [], paragraphs = [] }: SectionContent, remark: string | null): Xml {
  const shown = tables.filter(({ rows }) => rows.length > 0).map(renderTable);
  return { paragraph: [...paragraphs.map(renderParagraph), ...(remark ? [remark] : [])], table: shown };
}

function renderTable({ columns, rows }: Table): Xml {
  return {
    "@border": "1",
    "@width": "100%",
    thead: { tr: { th: columns } },
    tbody: { tr: rows.map(({ id, cells }) => ({ "@ID": id, td: cells.map(renderCell) })) },
  };
}

/** No text that people write has more lines. Rendering millions of elements would take seconds. */
const MAX_PARAGRAPHS = 1_000;

/** Each line of a text becomes a paragraph. */
function renderCell(cell: Cell): Xml {
  const { id, text } = typeof cell === "object" && cell !== null ? cell : { id: undefined, text: cell ?? "" };
  const lines = splitLines(text);
  const isSplit = lines.length > 1 && lines.length <= MAX_PARAGRAPHS;
  return { "@ID": id, ...(isSplit ? { paragraph: lines } : { "#": lines.join(" ") }) };
}

function renderParagraph(text: string): Xml {
  const lines = splitLines(text);
  return { "#": lines.join(" ") };
}

function splitLines(text: string): string[] {
  return text
    .split(/[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
