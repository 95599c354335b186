// What a run comes to, in words for a terminal.

import type { FindingGroup, RunTotals, VerdictCounts } from "@/lib/migration/review-queries";
import { describeCode } from "@/lib/migration/rules/checks";
import { VERDICTS } from "@/lib/migration/schema/run";
import { number } from "./output";

const ROWS = ["patients", "insurances"] as const;

/** Patients and insurances by verdict: each line adds up. */
export function describeTotals(totals: RunTotals): string[] {
  return ROWS.map((row) => {
    const counts: VerdictCounts = totals[row];
    const parts = VERDICTS.map((verdict) => `${number(counts[verdict])} ${verdict}`).join(" + ");
    return `  ${row}: ${number(counts.records)} = ${parts}`;
  });
}

/** Findings by code, errors first. */
export function describeFindings(groups: readonly FindingGroup[]): string[] {
  return groups.map(({ code, severity, count, accepted, skipped, fixable }) => {
    const { title, mend } = describeCode(code);
    const parts = [
      number(count),
      ...(fixable > 0 ? [`${number(fixable)} with a proposed fix`] : []),
      ...(accepted > 0 ? [`${number(accepted)} fixed`] : []),
      ...(skipped > 0 ? [`${number(skipped)} left out`] : []),
    ];
    return `  ${severity} ${code}: ${title} (${parts.join(", ")}). ${mend}`.trimEnd();
  });
}

/** `12 records`, `1 record` */
export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
