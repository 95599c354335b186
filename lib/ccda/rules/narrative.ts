import type { Cell, Content, Table, Xml } from "../schema";

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

/** A text of several lines is a paragraph for each. */
function cellOf(cell: Cell): Xml {
  const { id, text } = typeof cell === "object" && cell !== null ? cell : { id: undefined, text: cell ?? "" };
  const lines = linesOf(text);
  return { "@ID": id, ...(lines.length > 1 ? { paragraph: lines } : { "#": lines[0] ?? "" }) };
}

function paragraphOf(text: string): Xml {
  const lines = linesOf(text);
  return { "#": lines.join(" ") };
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
