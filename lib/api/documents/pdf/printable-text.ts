import { hasGlyph } from "./fonts";

/** Replacements for symbols that medical texts use and the font lacks. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
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

const UNKNOWN = "\ufffd";
/** No language puts more than eight accents on a letter, and composing them takes time by the square of their number. */
const TOO_MANY_MARKS = /(\p{M}{8})\p{M}{1,1000}/gu;
/** More spaces in a row than indentation needs. */
const TOO_MANY_SPACES = /( {100}) +/g;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Prepares a text for the font: composes accents, expands tabs, and replaces each character that the font lacks. Only invisible
 * characters are removed, so a reader can tell that something is missing.
 */
export function toPrintable(text: string): string {
  const composed = text.replace(TOO_MANY_MARKS, `$1${UNKNOWN}`).normalize("NFC");
  const visible = composed
    .replace(/\t/g, "    ")
    .replace(/\r\n?/g, "\n")
    .replace(INVISIBLE, "")
    .replace(TOO_MANY_SPACES, "$1");
  return visible.replace(/[^\n -~]/gu, (character) =>
    hasGlyph(character) ? character : (REPLACEMENTS[character] ?? UNKNOWN),
  );
}
