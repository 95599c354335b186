import pdfmake from "pdfmake";
import type { Content, CustomTableLayout, Node } from "pdfmake/interfaces";
import { contentParts, type Part, toContent } from "./content";
import type { Fact, PrintableDocument } from "./schema";
import { COLORS, FONT_FAMILY, MARGIN, STYLES, TEXT_HEIGHT, TEXT_WIDTH } from "./styles";
import { clipText, toPrintable } from "./text";

/** Longer documents are of no use to readers, and each page takes time. */
const MAX_PAGES = 100;
/** More content than this can't fit on these pages. Kerning, which estimates ignore, makes text slightly narrower. */
const MAX_HEIGHT = MAX_PAGES * TEXT_HEIGHT * 1.05;
/** Longer letterheads and signatures are cut, so that there is room for the record. */
const MAX_LINES = 20;
const PAGE_NUMBER_WIDTH = 80;

// Documents have no images or attachments, so pdfmake never needs to load anything.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

/** Stops a layout that has too many pages before its pages are drawn. */
class TooManyPagesError extends Error {
  override name = "TooManyPagesError";
}

/** Renders a document as PDF. If its content takes more than 100 pages, the rest is omitted, and a notice says so. */
export async function renderPdf(document: PrintableDocument): Promise<Uint8Array> {
  const whole = takeParts(document);
  if (whole.isComplete) {
    try {
      return await createPdf(document, toContent(whole.parts), ({ pages }) => {
        if (pages > MAX_PAGES) throw new TooManyPagesError();
      });
    } catch (error) {
      if (!(error instanceof TooManyPagesError)) throw error;
    }
  }
  const fitting = await countFittingParts(document);
  const { parts, isComplete } = takeParts(document);
  const content = toContent(parts, fitting);
  if (fitting < parts.length || !isComplete) content.push(truncationNotice());
  return createPdf(document, content);
}

/** Takes the parts of a document's content that can fit on its pages. */
function takeParts(document: PrintableDocument): { parts: Part[]; isComplete: boolean } {
  const parts: Part[] = [];
  let height = 0;
  for (const part of contentParts(document)) {
    if (height > MAX_HEIGHT) return { parts, isComplete: false };
    parts.push(part);
    height += part.height;
  }
  return { parts, isComplete: true };
}

/** Counts the parts that end before the last allowed page does, by a layout that isn't drawn. */
async function countFittingParts(document: PrintableDocument): Promise<number> {
  const { parts } = takeParts(document);
  const indexes = new Map<string, number>();
  for (const [index, text] of parts.flatMap((part, index) => part.texts.map((text) => [index, text] as const))) {
    text.id = `text-${indexes.size}`;
    indexes.set(text.id, index);
  }
  let fitting = parts.length;
  try {
    await createPdf(document, toContent(parts), ({ id, pageNumbers }) => {
      const index = indexes.get(id ?? "");
      if (index === undefined || Math.max(...pageNumbers) <= MAX_PAGES) return;
      // One less leaves room for the margin below the last one.
      fitting = Math.max(0, index - 1);
      throw new TooManyPagesError();
    });
  } catch (error) {
    if (!(error instanceof TooManyPagesError)) throw error;
  }
  return fitting;
}

/**
 * Lays out and draws a document with this content.
 *
 * @param inspect gets each node in order, after the layout and before the pages are drawn. It may throw to end it there.
 */
function createPdf(
  document: PrintableDocument,
  content: Content[],
  inspect?: (node: Node) => void,
): Promise<Uint8Array> {
  const createdAt = new Date(document.createdAt);
  const title = toPrintable(`${document.title.slice(0, 200)}: ${document.patientName}`).replaceAll("\n", " ");
  const footer = footerText(document);
  const pdf = pdfmake.createPdf({
    pageSize: "LETTER",
    pageMargins: [MARGIN.left, MARGIN.top, MARGIN.right, MARGIN.bottom],
    version: "1.7",
    language: "en-US",
    displayTitle: true,
    info: { title, creator: "Crosswalk", producer: "Crosswalk", creationDate: createdAt, modDate: createdAt },
    styles: STYLES,
    defaultStyle: {
      font: FONT_FAMILY,
      fontSize: STYLES.body.fontSize,
      color: COLORS.text,
      preserveLeadingSpaces: true,
    },
    content: [
      letterhead(document.letterhead),
      patientBand(document.patient),
      ...content,
      signature(document.signature),
    ],
    footer: (page, count) => footerNode(footer, `Page ${page} of ${count}`),
    pageBreakBefore: (node) => {
      inspect?.(node);
      return false;
    },
  });
  return pdf.getBuffer();
}

/** Returns the practice's name, its address and telephone numbers below, and a line. */
function letterhead([name = "", ...lines]: readonly string[]): Content {
  const address = lines.join("\n");
  return [
    { text: clipText(name, { style: "practice", width: TEXT_WIDTH }, MAX_LINES), style: "practice" },
    { text: clipText(address, { style: "address", width: TEXT_WIDTH }, MAX_LINES), style: "address" },
    horizontalLine(1, COLORS.text, [0, 8, 0, 10]),
  ];
}

const BAND_PADDING = 10;
const BAND_LAYOUT: CustomTableLayout = {
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  paddingLeft: () => BAND_PADDING,
  paddingRight: () => 0,
  paddingTop: () => 6,
  paddingBottom: () => 6,
  fillColor: COLORS.band,
};

/** Returns a band across the page with the patient whose document it is. */
function patientBand(facts: readonly Fact[]): Content {
  const width = TEXT_WIDTH / facts.length - BAND_PADDING;
  const cells = facts.map(({ label, text }) => ({
    stack: [
      { text: label, style: "label" },
      { text: clipText(text, { style: "strong", width }, MAX_LINES), style: "strong" },
    ],
  }));
  const table = { widths: facts.map(() => width), body: [cells] };
  return { table, layout: BAND_LAYOUT, unbreakable: true, margin: [0, 0, 0, 16] };
}

function truncationNotice(): Content {
  const text = `The record is longer than ${MAX_PAGES} pages. The rest of it is not printed.`;
  return { text, style: "strong", pageBreak: "before" };
}

function signature(text: string): Content {
  const line = horizontalLine(0.75, COLORS.line, [0, 0, 0, 6]);
  const clipped = clipText(text, { style: "body", width: TEXT_WIDTH }, MAX_LINES);
  return { stack: [line, { text: clipped, style: "body" }], unbreakable: true, margin: [0, 14, 0, 0] };
}

/** Returns the footer of every page, with the patient whose page it is. */
function footerText({ patientName, patient, title }: PrintableDocument): string {
  const born = patient.find(({ label }) => label === "Date of birth")?.text;
  const text = [patientName, born && `born ${born}`, title].filter(Boolean).join(" · ");
  // The width leaves room for the ellipsis.
  return clipText(text, { style: "footer", width: TEXT_WIDTH - PAGE_NUMBER_WIDTH - 10 }, 1);
}

function footerNode(text: string, pageNumber: string): Content {
  return {
    stack: [
      horizontalLine(0.75, COLORS.line, [0, 0, 0, 5]),
      {
        columns: [
          { text, style: "footer", noWrap: true },
          { text: pageNumber, style: "footer", alignment: "right", width: PAGE_NUMBER_WIDTH },
        ],
      },
    ],
    margin: [MARGIN.left, 18, MARGIN.right, 0],
  };
}

function horizontalLine(lineWidth: number, lineColor: string, margin: [number, number, number, number]): Content {
  return { canvas: [{ type: "line", x1: 0, y1: 0, x2: TEXT_WIDTH, y2: 0, lineWidth, lineColor }], margin };
}
