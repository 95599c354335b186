/** More than the time zones of all practices in all formats. */
const MAX_CACHED = 200;
const cache = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns a cached date formatter. Creating one takes longer than formatting a hundred dates, and memory outside of the heap that is freed
 * late.
 */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = cache.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(locale, options);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, format);
  return format;
}
