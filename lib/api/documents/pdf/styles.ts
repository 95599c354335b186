import fs from "node:fs";
import { create, type Font } from "fontkit";
import type { Style } from "pdfmake";
import pdfmake from "pdfmake";

/** Lengths are points, 1/72 inch; US Letter. */
const PAGE = { width: 612, height: 792 } as const;
export const MARGIN = { left: 54, top: 50, right: 54, bottom: 64 } as const;
export const TEXT_WIDTH = PAGE.width - MARGIN.left - MARGIN.right;
export const TEXT_HEIGHT = PAGE.height - MARGIN.top - MARGIN.bottom;

export const COLORS = {
  text: "#1c2430",
  muted: "#5b6675",
  line: "#c9d0d9",
  band: "#f2f4f7",
  alert: "#a61b12",
} as const;

export const STYLES = {
  practice: { fontSize: 13, bold: true },
  address: { fontSize: 9, color: COLORS.muted },
  title: { fontSize: 18, bold: true },
  heading: { fontSize: 11, bold: true },
  body: { fontSize: 10 },
  strong: { fontSize: 10, bold: true },
  label: { fontSize: 8, color: COLORS.muted },
  columnTitle: { fontSize: 8, bold: true, color: COLORS.muted },
  cell: { fontSize: 9 },
  alert: { fontSize: 9, bold: true, color: COLORS.alert },
  note: { fontSize: 8.5, color: COLORS.muted },
  footer: { fontSize: 8, color: COLORS.muted },
} satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

declare module "pdfmake" {
  /** Files by name. Its types leave it out; fonts that are already parsed are allowed since pdfkit 0.20. */
  export const virtualfs: { writeFileSync(name: string, content: Font): void };
}

/** Noto Sans: every Latin, Greek and Cyrillic letter, with composed and combining accents. */
export const FONT_FAMILY = "Noto Sans";
const FILES = {
  normal: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  bold: "@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf",
} as const;

// Next doesn't look into this way of resolving a file. It would bundle the fonts as modules otherwise.
const packages = process.getBuiltinModule("node:module").createRequire(import.meta.url);

// Parsed once per process: parsing takes several times as long as rendering a page.
const fonts = { normal: readFont(FILES.normal), bold: readFont(FILES.bold) };

for (const [weight, font] of Object.entries(fonts)) pdfmake.virtualfs.writeFileSync(weight, font);
pdfmake.setFonts({ [FONT_FAMILY]: { normal: "normal", bold: "bold" } });

function readFont(file: string): Font {
  const font = create(fs.readFileSync(packages.resolve(file)));
  if (!("characterSet" in font)) throw new Error(`${file} is a collection of fonts.`);
  return font;
}

// Glyphs of control characters are empty. Without these, such characters would disappear.
const drawable = new Set(fonts.normal.characterSet.filter((code) => code >= 0x20 && (code < 0x7f || code >= 0xa0)));

/** Returns whether the font has a glyph that shows this character. */
export const hasGlyph = (character: string): boolean => drawable.has(character.codePointAt(0) ?? 0);

/** Returns the height of a line, as a multiple of the font size. */
export const LINE_HEIGHT = (fonts.normal.ascent - fonts.normal.descent) / fonts.normal.unitsPerEm;

const widths = { normal: new Map<string, number>(), bold: new Map<string, number>() };

/** Returns the width of a character, as a multiple of the font size. */
export function widthOf(character: string, weight: keyof typeof FILES): number {
  const known = widths[weight].get(character);
  if (known !== undefined) return known;
  const font = fonts[weight];
  const width = font.glyphForCodePoint(character.codePointAt(0) ?? 0).advanceWidth / font.unitsPerEm;
  widths[weight].set(character, width);
  return width;
}
