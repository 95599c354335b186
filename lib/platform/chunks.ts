/** Rows in parts of at most `size`: a statement can bind 65,535 values and no more. */
export function* chunks<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
