/** Splits rows into parts of at most `size`, because a statement can bind only 65,535 values. */
export function* chunks<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
