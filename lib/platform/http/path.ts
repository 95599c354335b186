/** Returns the path of a URL without a trailing slash, because both forms name the same resource (design §4). */
export function canonicalPath(url: URL): string {
  return url.pathname.replace(/\/$/, "");
}
