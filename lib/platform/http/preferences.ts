/**
 * Returns whether a client prefers strict handling to lenient handling (`Prefer: handling=strict`, RFC 7240 §4.4). Of a preference that is
 * repeated, the first one counts.
 */
export function prefersStrictHandling({ headers }: Pick<Request, "headers">): boolean {
  const prefer = headers.get("prefer");
  if (prefer === null) return false;
  const values = prefer.split(",").map((part) => /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;|$)/i.exec(part)?.[1]);
  return values.find((value) => value !== undefined)?.toLowerCase() === "strict";
}
