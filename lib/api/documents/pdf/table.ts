import type { Column, Row } from "./schema";
import { heightOf, INK, PAGE, type Sheet, TEXT_WIDTH, type TextStyle } from "./sheet";

const HEAD: TextStyle = { font: "bold", size: 8, colour: INK.quiet };
const CELL: TextStyle = { font: "regular", size: 9, colour: INK.text };
const MARKED: TextStyle = { font: "bold", size: 9, colour: INK.mark };
const NOTE: TextStyle = { font: "regular", size: 8.5, colour: INK.quiet };
const GAP = 8;
const PADDING = 3;

interface Place {
  x: number;
  width: number;
}

/** Draws a table. Its head is repeated on each page, and a row that is higher than what is left of a page goes on with the next. */
export function drawTable(sheet: Sheet, columns: readonly Column[], rows: readonly Row[]): void {
  const places = placesOf(columns);
  // A head without a row under it says nothing.
  sheet.ensure(heightOf(HEAD) + 3 * PADDING + heightOf(CELL));
  drawHead(sheet, columns, places);
  for (const row of rows) drawRow(sheet, row, { columns, places });
  sheet.y += GAP;
}

function placesOf(columns: readonly Column[]): Place[] {
  const whole = columns.reduce((sum, { share }) => sum + share, 0);
  const usable = TEXT_WIDTH - GAP * (columns.length - 1);
  let x: number = PAGE.left;
  return columns.map(({ share }) => {
    const place = { x, width: (usable * share) / whole };
    x += place.width + GAP;
    return place;
  });
}

function drawHead(sheet: Sheet, columns: readonly Column[], places: readonly Place[]): void {
  const titles = columns.map(({ title }, at) => sheet.lines(title, (places[at] as Place).width, HEAD));
  const most = Math.max(...titles.map((lines) => lines.length));
  for (const [at, lines] of titles.entries())
    for (const [index, line] of lines.entries())
      sheet.line(line, { x: (places[at] as Place).x, y: sheet.y + index * heightOf(HEAD) }, HEAD);
  sheet.y += most * heightOf(HEAD) + PADDING;
  sheet.rule(INK.line, 1);
  sheet.y += PADDING;
}

function drawRow(
  sheet: Sheet,
  row: Row,
  { columns, places }: { columns: readonly Column[]; places: readonly Place[] },
): void {
  const styleOf = (at: number) => (row.marked?.includes(at) ? MARKED : CELL);
  const cells = places.map(({ width }, at) => sheet.lines(row.cells[at] ?? "", width, styleOf(at)));
  const most = Math.max(1, ...cells.map((lines) => lines.length));
  const [height, whole] = [heightOf(CELL), most * heightOf(CELL) + 2 * PADDING];
  const again = () => drawHead(sheet, columns, places);
  // A short row stays together; a long one fills the page and goes on.
  if (sheet.ensure(Math.min(whole, 6 * height))) again();
  for (let index = 0; index < most; index++) {
    if (sheet.ensure(height)) again();
    for (const [at, lines] of cells.entries()) {
      const line = lines[index];
      if (line !== undefined) sheet.line(line, { x: (places[at] as Place).x, y: sheet.y }, styleOf(at));
    }
    sheet.y += height;
  }
  if (row.note) sheet.y += 2;
  if (row.note) sheet.text(row.note, NOTE, { x: PAGE.left + GAP, width: TEXT_WIDTH - GAP });
  sheet.y += PADDING;
  sheet.rule(INK.line, 0.5);
  sheet.y += PADDING;
}
