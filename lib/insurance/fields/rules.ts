import type { FieldErrors } from "@/lib/platform/errors";
import type { InsuranceFields } from "./fields";

/** Problems of a whole insurance record that no single field shows; null where there are none. */
export function insuranceProblems(record: InsuranceFields): FieldErrors | null {
  const { start_date: start, end_date: end } = record;
  if (start && end && end < start) return { end_date: ["Must not be before start_date."] };
  return null;
}

/** Names match without regard to case, accents and outer or repeated space. */
export function sameName(a: string, b: string): boolean {
  return normalizeName(a) === normalizeName(b);
}

function normalizeName(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();
}
