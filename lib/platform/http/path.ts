/** The path of a URL without its trailing slash: both forms are the same place (design §4). */
export function canonicalPath(url: URL): string {
  return url.pathname.replace(/\/$/, "");
}
