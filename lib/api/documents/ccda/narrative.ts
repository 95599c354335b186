import type { Cell, Content, Table, Xml } from "./schema";

/** What people read of a section: its tables and paragraphs. */
export function narrativeOf({ tables = [], paragraphs = [] }: Content, remark: string | null): Xml {
  const shown = tables.filter(({ rows }) => rows.length > 0).map(tableOf);
  return { paragraph: [...paragraphs.map(paragraphOf), ...(remark ? [remark] : [])], table: shown };
}

function tableOf({ columns, rows }: Table): Xml {
  return {
    "@border": "1",
    "@width": "100%",
    thead: { tr: { th: columns } },
    tbody: { tr: rows.map(({ id, cells }) => ({ "@ID": id, td: cells.map(cellOf) })) },
  };
}

/** No text that people wrote has more lines. An element for each of millions would take seconds to make and write. */
const MOST_PARAGRAPHS = 1_000;

/** A text of several lines is a paragraph for each. */
function cellOf(cell: Cell): Xml {
  const { id, text } = typeof cell === "object" && cell !== null ? cell : { id: undefined, text: cell ?? "" };
  const lines = linesOf(text);
  const isSplit = lines.length > 1 && lines.length <= MOST_PARAGRAPHS;
  return { "@ID": id, ...(isSplit ? { paragraph: lines } : { "#": lines.join(" ") }) };
}

function paragraphOf(text: string): Xml {
  const lines = linesOf(text);
  return { "#": lines.join(" ") };
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
