import type { Block, Fact, Paper } from "./schema";
import { heightOf, INK, MOST_PAGES, PAGE, PaperFullError, Sheet, TEXT_WIDTH, type TextStyle } from "./sheet";
import { drawTable } from "./table";

const NAME: TextStyle = { font: "bold", size: 13, colour: INK.text };
const SMALL: TextStyle = { font: "regular", size: 9, colour: INK.quiet };
const LABEL: TextStyle = { font: "regular", size: 8, colour: INK.quiet };
const TITLE: TextStyle = { font: "bold", size: 18, colour: INK.text };
const HEADING: TextStyle = { font: "bold", size: 11, colour: INK.text };
const BODY: TextStyle = { font: "regular", size: 10, colour: INK.text };
const STRONG: TextStyle = { font: "bold", size: 10, colour: INK.text };
const FOOT: TextStyle = { font: "regular", size: 8, colour: INK.quiet };

/** Lines of a heading or a signature: nothing that practices write is longer, and the record must have its place. */
const MOST_LINES = 20;

/** Draws a paper; what comes back is a PDF. */
export async function drawPaper(paper: Paper): Promise<Uint8Array> {
  const sheet = new Sheet({ title: `${paper.title.slice(0, 200)}: ${paper.patientName}`, madeAt: paper.madeAt });
  drawLetterhead(sheet, paper.letterhead);
  drawPatient(sheet, paper.patient);
  drawContent(sheet, paper);
  drawSignature(sheet, paper.signature);
  drawFeet(sheet, paper);
  return sheet.finish();
}

function drawLetterhead(sheet: Sheet, [name = "", ...lines]: readonly string[]): void {
  sheet.text(name, NAME, { most: MOST_LINES });
  if (lines.length > 0) sheet.text(lines.join("\n"), SMALL, { most: MOST_LINES });
  sheet.y += 8;
  sheet.rule(INK.text, 1);
  sheet.y += 10;
}

/** Who the paper is of, in a band across the page. */
function drawPatient(sheet: Sheet, facts: readonly Fact[]): void {
  const inner = 10;
  const width = (TEXT_WIDTH - 2 * inner) / facts.length;
  const cells = facts.map(({ label, text }) => ({ label, lines: sheet.lines(text, width - 8, STRONG) }));
  const most = Math.max(...cells.map(({ lines }) => lines.length));
  const height = heightOf(LABEL) + most * heightOf(STRONG) + 2 * inner - 6;
  sheet.document.roundedRect(PAGE.left, sheet.y, TEXT_WIDTH, height, 4).fill(INK.band);
  for (const [at, { label, lines }] of cells.entries()) {
    const x = PAGE.left + inner + at * width;
    const y = sheet.y + inner - 3;
    sheet.line(label, { x, y }, LABEL);
    for (const [index, line] of lines.entries())
      sheet.line(line, { x, y: y + heightOf(LABEL) + index * heightOf(STRONG) }, STRONG);
  }
  sheet.y += height + 16;
}

/** As many blocks as there are pages for; where that is not all, it says so. */
function drawContent(sheet: Sheet, { title, blocks }: Paper): void {
  try {
    sheet.text(title, TITLE);
    sheet.y += 6;
    for (const block of blocks) drawBlock(sheet, block);
  } catch (error) {
    if (!(error instanceof PaperFullError)) throw error;
    sheet.mostPages += 1;
    sheet.ensure(PAGE.height);
    sheet.text(`The record is longer than ${MOST_PAGES} pages. The rest of it is not printed.`, STRONG);
  }
}

function drawBlock(sheet: Sheet, block: Block): void {
  switch (block.kind) {
    case "heading":
      drawHeading(sheet, block.text);
      break;
    case "facts":
      drawFacts(sheet, block.facts);
      break;
    case "table":
      drawTable(sheet, block.columns, block.rows);
      break;
    case "list":
      drawList(sheet, block.items);
      break;
    case "paragraph":
      sheet.text(block.text, BODY);
      sheet.y += 6;
  }
}

function drawHeading(sheet: Sheet, text: string): void {
  // Not alone at the end of a page.
  sheet.ensure(heightOf(HEADING) + 60);
  sheet.y += 6;
  sheet.text(text, HEADING);
  sheet.y += 4;
}

/** Facts in two columns, each with its label above. */
function drawFacts(sheet: Sheet, facts: readonly Fact[]): void {
  const gap = 20;
  const width = (TEXT_WIDTH - gap) / 2;
  const places = [PAGE.left, PAGE.left + width + gap];
  for (let at = 0; at < facts.length; at += 2) {
    const pair = facts.slice(at, at + 2);
    const labels = pair.map(({ label }) => sheet.lines(label, width, LABEL));
    const texts = pair.map(({ text }) => sheet.lines(text, width, BODY));
    const most = Math.max(...texts.map((lines) => lines.length));
    sheet.ensure(heightOf(LABEL) + Math.min(most, 3) * heightOf(BODY));
    drawBeside(sheet, places, labels, LABEL);
    drawBeside(sheet, places, texts, BODY);
    sheet.y += 5;
  }
  sheet.y += 4;
}

/** Texts beside each other, that go on over pages together. */
function drawBeside(
  sheet: Sheet,
  places: readonly number[],
  texts: readonly (readonly string[])[],
  style: TextStyle,
): void {
  const most = Math.max(...texts.map((lines) => lines.length));
  for (let at = 0; at < most; at++) {
    sheet.ensure(heightOf(style));
    for (const [index, lines] of texts.entries())
      sheet.line(lines[at] ?? "", { x: places[index] as number, y: sheet.y }, style);
    sheet.y += heightOf(style);
  }
}

function drawList(sheet: Sheet, items: readonly string[]): void {
  for (const item of items) {
    sheet.ensure(heightOf(BODY));
    sheet.line("•", { x: PAGE.left + 2, y: sheet.y }, BODY);
    sheet.text(item, BODY, { x: PAGE.left + 14, width: TEXT_WIDTH - 14 });
    sheet.y += 2;
  }
  sheet.y += 4;
}

function drawSignature(sheet: Sheet, text: string): void {
  sheet.ensure(heightOf(BODY) + 24);
  sheet.y += 14;
  sheet.rule();
  sheet.y += 6;
  sheet.text(text, BODY, { most: MOST_LINES });
}

/** Whose page it is, and which of how many, on every page. */
function drawFeet(sheet: Sheet, { patientName, patient, title }: Paper): void {
  const { count } = sheet.document.bufferedPageRange();
  const born = patient.find(({ label }) => label === "Date of birth")?.text;
  const whose = [patientName, born && `born ${born}`, title].filter(Boolean).join(" · ");
  const [line = ""] = sheet.lines(whose, TEXT_WIDTH - 80, FOOT, 1);
  for (let page = 0; page < count; page++) {
    sheet.document.switchToPage(page);
    sheet.y = PAGE.height - PAGE.bottom + 18;
    sheet.rule();
    sheet.line(line, { x: PAGE.left, y: sheet.y + 5 }, FOOT);
    const number = `Page ${page + 1} of ${count}`;
    sheet.line(number, { x: PAGE.width - PAGE.right, y: sheet.y + 5, align: "right" }, FOOT);
  }
}
