import { type Columns, guessColumns } from "@/lib/migration/record/columns";
import { chooseDelimiter } from "@/lib/platform/files/delimiter";
import { beginningText, isZip } from "./file-text";

/** The headings of a CSV file, and the values of its first row. */
export interface CsvPreview {
  headings: string[];
  examples: string[];
}

const PREVIEW_BYTES = 64 * 1024;

/**
 * Reads the headings of a file that looks like CSV. Returns null for JSON and other formats, and for zip files and workbooks:
 * the server opens those, and matches their columns by heading.
 */
export async function previewCsv(file: File): Promise<CsvPreview | null> {
  if (await isZip(file)) return null;
  const beginning = await beginningText(file, PREVIEW_BYTES).catch(() => "");
  if (/^\s*[[{]/.test(beginning)) return null;
  const [declaration = "", declared] = /^sep=(.)\r?[\r\n]/i.exec(beginning) ?? [];
  const text = beginning.slice(declaration.length).replace(/\r\n?/g, "\n");
  const delimiter = declared ?? chooseDelimiter(text);
  const rows = firstRows(text, delimiter, 2);
  const [headings = [], examples = []] = rows;
  return headings.length > 1 ? { headings, examples } : null;
}

/** Proposes fields for the columns: the last mapping if the file has its headings, otherwise a guess by name. */
export function proposeColumns({ headings }: CsvPreview, remembered: Columns | null): Columns {
  const known = remembered && Object.keys(remembered).every((heading) => headings.includes(heading));
  return known ? remembered : guessColumns(headings);
}

function firstRows(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    rows.at(-1)?.push(cell.trim());
    cell = "";
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted && char === '"' && text[at + 1] === '"') {
      cell += '"';
      at++;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && char === delimiter) endCell();
    else if (!quoted && char === "\n") {
      endCell();
      if (rows.length === most) return rows;
      rows.push([]);
    } else cell += char;
  }
  endCell();
  return rows;
}
