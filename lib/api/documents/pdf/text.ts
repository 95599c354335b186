import { hasGlyph, LINE_HEIGHT, STYLES, type StyleName, widthOf } from "./styles";

/** The style of a text and the width of its column, in points. */
export interface TextBox {
  style: StyleName;
  width: number;
}

export interface TextPart {
  text: string;
  /** Estimated; see splitText. */
  lines: number;
}

/** pdfmake measures the rest of a word again for each line it takes, so longer words get invisible places to break. */
const LONG_WORD = /[^ \n]{101,}/g;
const ZERO_WIDTH_SPACE = "\u200b";

/**
 * Splits text into parts of at most `maxLines` lines, so that no step of the layout gets more than it can handle: after a line
 * break if there is one in the second half, or else after a space. Lines are estimated from the widths of characters alone. The
 * layout needs as many lines or more, at most about twice as many, because words don't fill lines completely.
 */
export function* splitText(text: string, box: TextBox, maxLines: number): Generator<TextPart> {
  const printable = toPrintable(text);
  let start = 0;
  do {
    const { end, lines } = measurePart(printable, start, { ...box, maxLines });
    const part = printable.slice(start, end);
    yield { text: allowBreaks(end < printable.length ? part.replace(/\n$/, "") : part), lines };
    start = end;
  } while (start < printable.length);
}

function measurePart(
  text: string,
  start: number,
  { style, width, maxLines }: TextBox & { maxLines: number },
): { end: number; lines: number } {
  const { fontSize, ...look } = STYLES[style];
  const weight = "bold" in look ? "bold" : "normal";
  const lineWidth = width / fontSize;
  let lines = 1;
  let used = 0;
  let index = start;
  let afterSpace = 0;
  let afterBreak = 0;
  while (index < text.length) {
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    const isBreak = character === "\n";
    used += isBreak ? 0 : widthOf(character, weight);
    if (isBreak || (used > lineWidth && index > start)) {
      if (lines === maxLines) return { end: (isBreak && index + 1) || afterBreak || afterSpace || index, lines };
      lines += 1;
      used = isBreak ? 0 : widthOf(character, weight);
    }
    index += character.length;
    if (isBreak && lines > maxLines / 2) afterBreak = index;
    if (character === " ") afterSpace = index;
  }
  return { end: index, lines };
}

function allowBreaks(text: string): string {
  return text.replace(LONG_WORD, (word) => word.replace(/.{20}(?=\P{M})/gu, `$&${ZERO_WIDTH_SPACE}`));
}

/** Returns the beginning of a text, about `maxLines` lines of it, with an ellipsis if something is cut off. */
export function clipText(text: string, box: TextBox, maxLines: number): string {
  const [first, second] = splitText(text, box, maxLines);
  const beginning = first?.text ?? "";
  return second ? `${beginning.trimEnd()}…` : beginning;
}

/** Returns the height of some lines, in points. */
export function heightOf(style: StyleName, lines: number): number {
  return lines * STYLES[style].fontSize * LINE_HEIGHT;
}

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
 * Prepares text for the font: composes accents, expands tabs, and replaces each character that the font lacks. Only invisible
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
