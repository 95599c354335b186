// No imports, because the migration assistant also uses it in the browser.

/** Chooses the delimiter of a CSV file: comma, semicolon or tab, whichever is most frequent in the headings outside of quotes. */
export function chooseDelimiter(text: string): string {
  const [headings = ""] = text
    .replace(/"[^"]*"/g, "")
    .trimStart()
    .split(/\r?\n|\r/);
  const count = (delimiter: string) => headings.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
