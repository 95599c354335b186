// Without imports, as the migration assistant also uses it in the browser.

/** Chooses the delimiter of a CSV file: the most frequent of comma, semicolon and tab in the headings, outside of quotes. */
export function chooseDelimiter(text: string): string {
  const [headings = ""] = text
    .replace(/"[^"]*"/g, "")
    .trimStart()
    .split(/\r?\n|\r/);
  const count = (delimiter: string) => headings.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}
