/** How wide a text is, in points. */
export type Measure = (text: string) => number;

/** No line has more characters, however narrow they are. Nothing longer is ever measured: that takes time and memory. */
const LONGEST_LINE = 400;

/**
 * Breaks a text into lines of at most this width: at spaces, and within a word that is wider than the line. Lines are made one
 * by one, so that nobody pays for those that have no place on the paper.
 */
export function* wrap(text: string, width: number, measure: Measure): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? undefined : end);
    yield* wrapLine(line.trimEnd(), width, measure);
    if (end === -1) return;
    start = end + 1;
  }
}

/** A word with the spaces after it, or a beginning of one that is too long for any line. */
const WORD = new RegExp(`[^ ]{1,${LONGEST_LINE}} {0,${LONGEST_LINE}}| {1,${LONGEST_LINE}}`, "gu");

function* wrapLine(text: string, width: number, measure: Measure): Generator<string> {
  if (text.length <= LONGEST_LINE && measure(text) <= width) return yield text;
  let line = "";
  for (const [word] of text.matchAll(WORD)) {
    if (line.length + word.length <= LONGEST_LINE && measure((line + word).trimEnd()) <= width) {
      line += word;
      continue;
    }
    const isSameWord = line !== "" && !line.endsWith(" ");
    if (line !== "" && !isSameWord) yield line.trimEnd();
    const rest = isSameWord ? line + word : word;
    const parts = measure(rest.trimEnd()) <= width ? [rest] : breakWord(rest, width, measure);
    yield* parts.slice(0, -1);
    line = parts.at(-1) ?? "";
  }
  if (line !== "") yield line.trimEnd();
}

/** The beginnings of a word that fit by the widths of their characters; a line has one character at least. */
function breakWord(word: string, width: number, measure: Measure): string[] {
  const parts: string[] = [];
  let [part, used] = ["", 0];
  for (const character of word) {
    const wide = character === " " ? 0 : measure(character);
    if (part !== "" && (used + wide > width || part.length >= LONGEST_LINE)) {
      parts.push(part);
      [part, used] = ["", 0];
    }
    part += character;
    used += wide;
  }
  return [...parts, part];
}
