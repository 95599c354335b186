import PDFDocument from "pdfkit";
import { type FontName, fontOf, printable } from "./fonts";
import { type Measure, wrap } from "./wrap";

/** Lengths are points, 1/72 inch; US Letter. */
export const PAGE = { width: 612, height: 792, left: 54, right: 54, top: 50, bottom: 64 } as const;
export const TEXT_WIDTH = PAGE.width - PAGE.left - PAGE.right;
const LOWEST = PAGE.height - PAGE.bottom;

export const INK = { text: "#1c2430", quiet: "#5b6675", line: "#c9d0d9", band: "#f2f4f7", mark: "#a61b12" } as const;

export interface TextStyle {
  font: FontName;
  size: number;
  colour: string;
}

/** A paper has at most so many pages: nobody reads more. */
export const MOST_PAGES = 100;
/** More lines than these pages take, in the smallest letters there are. */
const MOST_LINES = MOST_PAGES * 70;

/** There is no page left to go on with. */
export class PaperFullError extends Error {
  override name = "PaperFullError";
}

/** Of a line, in sizes of its letters. */
const LINE_HEIGHT = 1.4;
/** Of the space above the letters of a line. */
const BASELINE = 1.08;

/** Pages, and the height on the last of them down to which they are written. */
export class Sheet {
  readonly document: PDFKit.PDFDocument;
  y: number = PAGE.top;
  /** Raised by one for what has to stand at the end. */
  mostPages: number = MOST_PAGES;
  private pages = 1;
  /** Of characters, by font and size. */
  private readonly widths = new Map<string, Map<string, number>>();

  constructor(info: { title: string; madeAt: string }) {
    const madeAt = new Date(info.madeAt);
    this.document = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      bufferPages: true,
      pdfVersion: "1.7",
      lang: "en-US",
      displayTitle: true,
      // The library takes fonts that were read already, which its types do not say.
      font: fontOf("regular") as unknown as string,
      info: {
        Title: printable(info.title).replaceAll("\n", " "),
        Creator: "Crosswalk",
        Producer: "Crosswalk",
        CreationDate: madeAt,
        ModDate: madeAt,
      },
    });
    for (const name of ["regular", "bold"] as const)
      this.document.registerFont(nameOf(name), fontOf(name) as unknown as string);
  }

  /**
   * Goes on with a new page where less than this is left of the present one. Tells whether it did.
   *
   * @throws PaperFullError past the last page there may be
   */
  ensure(height: number): boolean {
    if (this.y + height <= LOWEST) return false;
    if (this.pages >= this.mostPages) throw new PaperFullError();
    this.pages += 1;
    this.document.addPage();
    this.y = PAGE.top;
    return true;
  }

  /** The lines a text makes in this width, with what can't be printed replaced; no more than a paper has room for. */
  lines(text: string, width: number, style: Pick<TextStyle, "font" | "size">, most: number = MOST_LINES): string[] {
    const lines: string[] = [];
    for (const line of wrap(printable(text), width, this.measure(style))) if (lines.push(line) >= most) break;
    return lines;
  }

  /**
   * By the widths of characters alone. To lay a text out for each line it might take costs most of the time a paper takes, and
   * is hardly more exact: kerning moves letters closer together.
   */
  private measure({ font, size }: Pick<TextStyle, "font" | "size">): Measure {
    const { document } = this;
    const widths = this.widths.get(`${font} ${size}`) ?? new Map<string, number>();
    this.widths.set(`${font} ${size}`, widths);
    const widthOf = (character: string) => {
      const measured = document.font(nameOf(font)).fontSize(size).widthOfString(character);
      widths.set(character, measured);
      return measured;
    };
    return (text) => {
      let width = 0;
      for (const character of text) width += widths.get(character) ?? widthOf(character);
      return width;
    };
  }

  /** Writes one line, that fits, at a place; moves nothing. */
  line(
    text: string,
    at: { x: number; y: number; align?: "right" | "center" },
    { font, size, colour }: TextStyle,
  ): void {
    const { document } = this;
    document.font(nameOf(font)).fontSize(size).fillColor(colour);
    const width = at.align ? document.widthOfString(text) : 0;
    const x = at.align === "right" ? at.x - width : at.align === "center" ? at.x - width / 2 : at.x;
    if (text !== "") document.text(text, x, at.y + size * BASELINE, { lineBreak: false, baseline: "alphabetic" });
  }

  /** Writes a text below what is there already, over as many pages as it takes; of one with more lines than `most`, the first. */
  text(
    text: string,
    style: TextStyle,
    { x = PAGE.left, width = TEXT_WIDTH, most }: { x?: number; width?: number; most?: number } = {},
  ): void {
    const lines = this.lines(text, width, style, most && most + 1);
    if (most && lines.length > most) lines.splice(most - 1, 2, "…");
    for (const line of lines) {
      this.ensure(heightOf(style));
      this.line(line, { x, y: this.y }, style);
      this.y += heightOf(style);
    }
  }

  /** A line across the page. */
  rule(colour: string = INK.line, weight = 0.75): void {
    const end = PAGE.width - PAGE.right;
    this.document.moveTo(PAGE.left, this.y).lineTo(end, this.y).lineWidth(weight).strokeColor(colour).stroke();
  }

  /** The file, whole. */
  async finish(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    const { document } = this;
    const done = new Promise<void>((resolve, reject) => document.on("end", resolve).on("error", reject));
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    document.end();
    await done;
    return Buffer.concat(chunks);
  }
}

/** By its own name a font is found again; by another the library would compare it anew at each line. */
function nameOf(font: FontName): string {
  return fontOf(font).postscriptName ?? font;
}

export function heightOf({ size }: Pick<TextStyle, "size">): number {
  return size * LINE_HEIGHT;
}
