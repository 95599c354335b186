import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import type { VerdictCounts } from "@/lib/migration/runs/run-counts";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { BlockedNotice } from "./blocked-notice";
import { FindingGroups } from "./finding-groups";
import { runPath } from "./paths";
import { VERDICT_ORDER, VERDICTS } from "./run-messages";
import { StackedBar } from "./stacked-bar";

/** Shows the result of a check: the verdicts on the records, and the findings. */
export function CheckStep({ practice, data }: { practice: number; data: RunPage }) {
  const { run, totals, groups } = data;
  if (totals.patients.records === 0) {
    return <p className="text-soft">No records checked yet.</p>;
  }
  const isBlocked = totals.blocked.records > 0;
  const convertible = totals.patients.records - totals.patients.refused;
  return (
    <>
      <div className="mb-6 grid gap-6 lg:grid-cols-2">
        <Totals label="Patients" counts={totals.patients} practice={practice} run={run.id} />
        <Totals label="Insurance records" counts={totals.insurances} practice={practice} run={run.id} />
      </div>
      {run.state === "checked" && <BlockedNotice practice={practice} run={run.id} blocked={totals.blocked} />}
      {run.state === "checked" && !isBlocked && (
        <div className="mb-6">
          <Notice tone="good" title="Ready to convert">
            {pluralize(convertible, "record")} can be converted
            {totals.left_out > 0 && `, ${formatNumber(totals.left_out)} will be skipped`}.
          </Notice>
        </div>
      )}
      <Section
        title="Findings"
        lead="Records with errors are not converted. Records with warnings are, but should be reviewed."
      >
        {groups.length === 0 ? (
          <p className="text-soft">No findings.</p>
        ) : (
          <FindingGroups practice={practice} run={run.id} groups={groups} />
        )}
      </Section>
    </>
  );
}

/** Shows the verdicts as a bar, with links to the records of each. */
function Totals(props: { label: string; counts: VerdictCounts; practice: number; run: number }) {
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
