import type { Finding } from "@/lib/migration/findings/checks";

const SHOWN = 5;

/** What keeps a record from being converted, in one line of text; the first five where there are many. */
export function describeErrors(findings: readonly Finding[]): string {
  const texts = findings.map((finding) => `${finding.code}${placeOf(finding)}: ${finding.message.replace(/\.$/, "")}`);
  const more = texts.length - SHOWN;
  return [...texts.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more errors`] : [])].join("; ");
}

/** ` (past insurance 12)` */
function placeOf({ list, position, insurance }: Finding): string {
  if (list === null) return "";
  const what = list === "insurances" ? "insurance" : "past insurance";
  return ` (${what} ${insurance ?? `number ${(position ?? 0) + 1}`})`;
}
