import type { FieldErrors } from "@/lib/platform/errors";
import type { InsuranceFields } from "./fields";

/** Finds problems between the fields of an insurance record. Returns null if there are none. */
export function insuranceProblems(record: InsuranceFields): FieldErrors | null {
  const { start_date: start, end_date: end } = record;
  if (start && end && end < start) return { end_date: ["Must not be before start_date."] };
  return null;
}

/** Compares names, ignoring case, accents, and surrounding or repeated space. */
export function sameName(a: string, b: string): boolean {
  return normalizeName(a) === normalizeName(b);
}

function normalizeName(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();
}
