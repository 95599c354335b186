// Describes the state of a run for a terminal.

import { Verdict } from "@/generated/rows/enums";
import type { RestoredCompanies } from "@/lib/insurance/payers/commands/import-companies";
import { describeCode } from "@/lib/migration/findings/checks";
import type { RunTotals, VerdictCounts } from "@/lib/migration/runs/run-counts";
import { originalsUntil } from "@/lib/migration/runs/run-states";
import type { FindingGroup, RunRow } from "@/lib/migration/runs/schema";
import { config } from "@/lib/platform/config";
import { number } from "./output";

const ROWS = ["patients", "insurances"] as const;

/** Counts patients and insurances by verdict. The counts of a line add up. */
export function describeTotals(totals: RunTotals): string[] {
  return ROWS.map((row) => {
    const counts: VerdictCounts = totals[row];
    const parts = Object.values(Verdict)
      .map((verdict) => `${number(counts[verdict])} ${verdict}`)
      .join(" + ");
    return `  ${row}: ${number(counts.records)} = ${parts}`;
  });
}

/** Describes findings by code. */
export function describeFindings(groups: readonly FindingGroup[]): string[] {
  return groups.map(({ code, severity, count, accepted, skipped, fixable }) => {
    const { title, advice } = describeCode(code);
    const parts = [
      number(count),
      ...(fixable > 0 ? [`${number(fixable)} with a proposed fix`] : []),
      ...(accepted > 0 ? [`${number(accepted)} fixed`] : []),
      ...(skipped > 0 ? [`${number(skipped)} skipped`] : []),
    ];
    return `  ${severity} ${code}: ${title} (${parts.join(", ")}). ${advice}`.trimEnd();
  });
}

/** Describes what the rollback did with companies. */
export function describeCompanies({ removed, restored, kept }: RestoredCompanies): string[] {
  if (removed.length + restored.length + kept.length === 0) return [];
  return [
    `Companies: ${number(removed.length)} removed, ${number(restored.length)} restored.`,
    ...kept.map(
      ({ id, carrier, why }) =>
        `  kept ${carrier} (${id}): ${why === "used" ? "insurances or plans use it" : "it was changed after the conversion"}`,
    ),
  ];
}

/** Describes which data of a run is kept, and for how long. */
export function describeKept({ state, purged_date: purged, ...run }: RunRow, days: number): string[] {
  if (purged !== null) {
    return [
      `The original records were deleted on ${purged.slice(0, 10)}. The run can no longer be verified or rolled back.`,
    ];
  }
  const until = originalsUntil({ state, purged_date: purged, ...run }, days)?.slice(0, 10);
  const setting = `MIGRATION_RETENTION_DAYS=${days}`;
  if (!until) return [`The original records are kept for ${days} days after the run ends (${setting}).`];
  if (state !== "rolled_back") {
    return [
      `The original records and what they replaced are kept until ${until} (${setting}). The run can be rolled back until then.`,
    ];
  }
  return [
    `The original records and what was removed are kept until ${until} (${setting}).`,
    `Webhook events are kept for ${config().EVENT_RETENTION_DAYS} days. The audit, verdicts and decisions are kept.`,
  ];
}
