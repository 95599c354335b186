const number = new Intl.NumberFormat("en-US");

/** Formats a count: `1,234`. */
export function formatNumber(count: number): string {
  return number.format(count);
}

/** Formats a count with its noun: `1 policy`, `1,234 policies`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}

/** Formats a list, cutting off long ones: `Ada, Ben and 3 more`. */
export function formatList(names: readonly string[], most = 3): string {
  const shown = names.slice(0, names.length > most + 1 ? most : names.length);
  const rest = names.length - shown.length;
  const all = rest > 0 ? [...shown, `${number.format(rest)} more`] : shown;
  return new Intl.ListFormat("en-US").format(all);
}

/** Capitalizes the first letter. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
