import { ButtonLink } from "@/components/ui/button-link";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import type { VerdictCounts } from "@/lib/migration/review-queries";
import type { RunPage } from "@/lib/migration/run-page-queries";
import { FindingGroups } from "./finding-groups";
import { runPath } from "./paths";
import { VERDICT_ORDER, VERDICTS } from "./run-messages";
import { StackedBar } from "./stacked-bar";

/** What a check came to: what would become of each record, and what was found. */
export function CheckStep({ practice, data }: { practice: number; data: RunPage }) {
  const { run, totals, groups } = data;
  if (totals.patients.records === 0) {
    return <p className="text-soft">Nothing is checked yet.</p>;
  }
  const { blocked } = totals;
  return (
    <>
      <div className="mb-6 grid gap-6 lg:grid-cols-2">
        <Totals label="Patients" counts={totals.patients} practice={practice} run={run.id} />
        <Totals label="Insurances" counts={totals.insurances} practice={practice} run={run.id} />
      </div>
      {run.state === "checked" &&
        (blocked.records > 0 ? (
          <div className="mb-6">
            <Notice
              tone="warning"
              title={`${pluralize(blocked.records, "record")} can't be converted yet, for ${pluralize(blocked.findings, "error")}`}
            >
              Accept a proposed fix, correct the export, or leave the record out with a reason.{" "}
              <ButtonLink
                href={`${runPath(practice, run.id)}/findings?severity=error&decision=open`}
                size="small"
                prefetch={false}
              >
                Review the errors
              </ButtonLink>
            </Notice>
          </div>
        ) : (
          <div className="mb-6">
            <Notice tone="good" title="Nothing stands in the way of the conversion">
              {formatNumber(totals.patients.records - totals.patients.refused)} records can be converted
              {totals.left_out > 0 && `, ${formatNumber(totals.left_out)} are left out`}.
            </Notice>
          </div>
        ))}
      <Section
        title="Findings"
        lead="An error keeps its record from being converted. A warning does not, and somebody should look."
      >
        {groups.length === 0 ? (
          <p className="text-soft">Nothing was found.</p>
        ) : (
          <FindingGroups practice={practice} run={run.id} groups={groups} />
        )}
      </Section>
    </>
  );
}

/** Verdicts as one bar; each part leads to its records. */
export function Totals(props: { label: string; counts: VerdictCounts; practice: number; run: number }) {
  const { label, counts, practice, run } = props;
  return (
    <StackedBar
      label={label}
      total={counts.records}
      noun="records"
      parts={VERDICT_ORDER.map((verdict) => ({
        name: VERDICTS[verdict].text,
        count: counts[verdict],
        bar: VERDICTS[verdict].bar,
        means: VERDICTS[verdict].means,
        href: `${runPath(practice, run)}/records?verdict=${verdict}`,
      }))}
    />
  );
}
