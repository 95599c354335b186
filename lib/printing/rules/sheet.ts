import PDFDocument from "pdfkit";
import { type FontName, fontOf, printable } from "./fonts";
import { wrap } from "./wrap";

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

/** A paper has at most so many pages: nobody reads more, and drawing holds up everybody else. */
export const MOST_PAGES = 100;

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
  private readonly widths = new Map<string, number>();

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

  /** The lines a text makes in this width, with what can't be printed replaced. */
  lines(text: string, width: number, { font, size }: Pick<TextStyle, "font" | "size">): string[] {
    this.document.font(nameOf(font)).fontSize(size);
    const measure = (part: string) => {
      const key = `${font} ${size} ${part}`;
      const known = part.length < 40 ? this.widths.get(key) : undefined;
      if (known !== undefined) return known;
      const measured = this.document.widthOfString(part);
      if (part.length < 40) this.widths.set(key, measured);
      return measured;
    };
    return wrap(printable(text), width, measure);
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

  /** Writes a text below what stands there, over as many pages as it takes. */
  text(
    text: string,
    style: TextStyle,
    { x = PAGE.left, width = TEXT_WIDTH }: { x?: number; width?: number } = {},
  ): void {
    for (const line of this.lines(text, width, style)) {
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
