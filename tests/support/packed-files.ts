// Zip files and Excel workbooks built for a test, entry by entry.
import { crc32, deflateRawSync } from "node:zlib";

/** Builds a zip file of these entries, deflated. `claims` overrides the declared size and checksum. */
export function zipOf(
  entries: Readonly<Record<string, string | Buffer>>,
  claims: { unpacked?: number; checksum?: number } = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(claims.checksum ?? checksum(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(claims.unpacked ?? bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), shared, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("504b01021400", "hex"), shared, rest, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32BE(0x504b0506, 0);
  end.writeUInt16LE(locals.length, 8);
  end.writeUInt16LE(locals.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, index, end]);
}

function checksum(bytes: Buffer): number {
  if (typeof crc32 === "function") return crc32(bytes);
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

/** A cell of a workbook: a shared text, a number, a day counted from 1900, a number with a format, or XML. */
export type Cell = string | number | { day: number } | { number: number; format: string } | { xml: string } | null;

const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * Builds an Excel workbook with these sheets, as Excel does: shared texts, dates by style, no empty cells. A sheet that is a
 * text is the XML of its rows.
 */
export function workbookOf(sheets: Readonly<Record<string, string | readonly (readonly Cell[])[]>>): Buffer {
  const texts: string[] = [];
  const formats: string[] = [];
  const cellOf = (cell: Cell, at: number, row: number): string => {
    const place = `r="${String.fromCharCode(65 + at)}${row}"`;
    if (cell === null) return "";
    if (typeof cell === "number") return `<c ${place}><v>${cell}</v></c>`;
    if (typeof cell === "string") return `<c ${place} t="s"><v>${texts.push(cell) - 1}</v></c>`;
    if ("day" in cell) return `<c ${place} s="1"><v>${cell.day}</v></c>`;
    if ("format" in cell) return `<c ${place} s="${formats.push(cell.format) + 1}"><v>${cell.number}</v></c>`;
    return cell.xml.replace("<c", `<c ${place}`);
  };
  const names = Object.keys(sheets);
  const parts = Object.values(sheets).map((rows, sheet) => {
    const xml =
      typeof rows === "string"
        ? rows
        : rows
            .map((cells, at) => `<row r="${at + 1}">${cells.map((cell, c) => cellOf(cell, c, at + 1)).join("")}</row>`)
            .join("");
    return [
      `xl/worksheets/sheet${sheet + 1}.xml`,
      `<?xml version="1.0"?><worksheet><sheetData>${xml}</sheetData></worksheet>`,
    ];
  });
  return zipOf({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`).join("")}</Relationships>`,
    "xl/styles.xml": stylesOf(formats),
    "xl/sharedStrings.xml": `<sst>${texts.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join("")}</sst>`,
    ...Object.fromEntries(parts),
  });
}

/** Styles by number: no format, a date, and then these formats. */
function stylesOf(formats: readonly string[]): string {
  const codes = formats.map((code, at) => `<numFmt numFmtId="${at + 164}" formatCode="${escapeXml(code)}"/>`);
  const styles = formats.map((_, at) => `<xf numFmtId="${at + 164}"/>`);
  return `<styleSheet><numFmts>${codes.join("")}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${styles.join("")}</cellXfs></styleSheet>`;
}
