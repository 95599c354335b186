/**
 * The URL that a text is, or null where it is none; a path or another relative reference needs the base it stands against.
 * Not by `URL.canParse`: once it is called often, Node.js 20 compiles it to code that takes the `ü` of `bücher.example` for
 * broken UTF-8, and answers that the URL is none.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
