/**
 * Parses a URL and returns null if it is invalid. Relative references need a base URL.
 *
 * `URL.canParse` is not safe here: after many calls, Node.js 20 switches to an optimized version that rejects valid URLs with
 * non-ASCII host names such as `müller.example`.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
