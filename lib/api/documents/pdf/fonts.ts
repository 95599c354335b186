import fs from "node:fs";
import { create, type Font } from "fontkit";

// Noto Sans: every Latin, Greek and Cyrillic letter, with accents of both kinds.
const FILES = {
  regular: "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  bold: "@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf",
} as const;
export type FontName = keyof typeof FILES;

// Asked for in a way that Next does not look into: it would take the fonts for modules of its bundle.
const packages = process.getBuiltinModule("node:module").createRequire(import.meta.url);

const read = new Map<FontName, Font>();

/** A font, read once: to read it anew for each paper would cost most of the time a paper takes. */
export function fontOf(name: FontName): Font {
  const known = read.get(name);
  if (known) return known;
  const file = fs.readFileSync(packages.resolve(FILES[name]));
  const font = create(file);
  if (!("characterSet" in font)) throw new Error(`${FILES[name]} is a collection of fonts.`);
  read.set(name, font);
  return font;
}

let coverage: Set<number> | undefined;

/** Signs the font lacks and medicine uses, each as it is written without them. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  "≤": "<=",
  "≥": ">=",
  "≠": "not =",
  "≈": "~",
  "→": "->",
  "←": "<-",
  "↑": "(up)",
  "↓": "(down)",
  "✓": "[x]",
  "✔": "[x]",
  "☑": "[x]",
  "☒": "[x]",
  "☐": "[ ]",
  "∆": "Δ",
  "−": "-",
  "‑": "-",
};

const REPLACEMENT = "\ufffd";
/** More accents than eight on one letter are no text, and composing them takes time by the square of their number. */
const TOO_MANY_MARKS = /(\p{M}{8})\p{M}{1,1000}/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * A text as it can be printed: composed letters, tabs as spaces, and for each character the font lacks what it is written
 * as without it, or else a replacement character. Nothing vanishes but what nobody sees anyway.
 */
export function printable(text: string): string {
  coverage ??= new Set(shownCharacters());
  const known = coverage;
  const composed = text.replace(TOO_MANY_MARKS, `$1${REPLACEMENT}`).normalize("NFC");
  const shown = composed.replace(/\t/g, "    ").replace(/\r\n?/g, "\n").replace(INVISIBLE, "");
  return shown.replace(/[^\n -~]/gu, (character) =>
    known.has(character.codePointAt(0) as number) ? character : (WRITTEN_OUT[character] ?? REPLACEMENT),
  );
}

/** What the font can show. Its glyphs of control characters are empty: with them, these would vanish. */
function shownCharacters(): number[] {
  return fontOf("regular").characterSet.filter((code) => code >= 0x20 && (code < 0x7f || code >= 0xa0));
}
