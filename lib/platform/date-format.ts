/** More than the zones of an installation's practices, each in the few forms there are. */
const MOST_KEPT = 200;
const kept = new Map<string, Intl.DateTimeFormat>();

/**
 * A formatter of dates, kept for the next time it is asked for: making one takes longer than a hundred dates do, and memory
 * outside of the heap, which is given back late.
 */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = kept.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, made);
  return made;
}
