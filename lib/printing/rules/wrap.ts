/** How wide a text is, in points. */
export type Measure = (text: string) => number;

/** Breaks a text into lines of at most this width: at spaces, and within a word that is wider than the line. */
export function wrap(text: string, width: number, measure: Measure): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.trimEnd(), width, measure));
}

function wrapLine(text: string, width: number, measure: Measure): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )(?! )/)) {
    if (measure((line + word).trimEnd()) <= width) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    const parts = breakWord(word, width, measure);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? "";
  }
  if (line !== "") lines.push(line.trimEnd());
  return lines;
}

/** The longest beginnings of a word that fit, each found by halving; a line has one character at least. */
function breakWord(word: string, width: number, measure: Measure): string[] {
  const parts: string[] = [];
  let rest = [...word];
  while (rest.length > 1 && measure(rest.join("").trimEnd()) > width) {
    let [fits, tooLong] = [1, Math.min(rest.length, 400)];
    while (tooLong - fits > 1) {
      const middle = (fits + tooLong) >> 1;
      if (measure(rest.slice(0, middle).join("")) <= width) fits = middle;
      else tooLong = middle;
    }
    parts.push(rest.slice(0, fits).join(""));
    rest = rest.slice(fits);
  }
  return [...parts, rest.join("")];
}
