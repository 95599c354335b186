/** A part of a document with figures. */
interface Passage {
  /** The text around the figures, so one more than those. */
  words: readonly string[];
  figures: readonly string[];
}

/** Creates a passage from a template. Spaces and line breaks are the same. */
export function passage(words: TemplateStringsArray, ...figures: string[]): Passage {
  return { words: words.map((text) => text.replace(/\s+/g, " ")), figures };
}

/**
 * Replaces the figures of passages, and nothing else.
 *
 * @throws Error if the document doesn't have a passage, or has its first words more than once, because a figure can be any text after
 *   them. The message has the passage with the new figures
 */
export function replacePassages(document: string, passages: readonly Passage[]): string {
  return passages.reduce((text, { words, figures }) => {
    const expected = String.raw({ raw: words }, ...figures);
    const [first = ""] = words;
    if (text.split(new RegExp(matchWords(first))).length !== 3)
      throw new Error(`the document must have "${first}" exactly once: ${expected}`);
    // A digit after the last words would be part of a figure: "4." is not the end of "takes 4.3 kB."
    const pattern = new RegExp(`${words.map(matchWords).join("([^|]{1,200}?)")}(?!\\d)`);
    if (!pattern.test(text)) throw new Error(`the document must have this passage: ${expected}`);
    return text.replace(pattern, (_, ...groups: string[]) => {
      const parts = groups.slice(0, words.length + figures.length);
      return parts.map((part, at) => (at % 2 === 0 ? part : keepBreaks(part, figures[(at - 1) / 2] ?? ""))).join("");
    });
  }, document);
}

function matchWords(words: string): string {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `(${escaped.replaceAll(" ", "\\s+")})`;
}

/** Returns the figure before if it is the same except for its line breaks. */
function keepBreaks(before: string, after: string): string {
  return before.replace(/\s+/g, " ") === after ? before : after;
}
