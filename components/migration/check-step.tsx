import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import type { VerdictCounts } from "@/lib/migration/runs/run-counts";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { BlockedNotice } from "./blocked-notice";
import { FindingGroups } from "./finding-groups";
import { checkStep as text } from "./messages/run";
import { VERDICT_ORDER, VERDICTS } from "./messages/terms";
import { runPath } from "./paths";
import { StackedBar } from "./stacked-bar";

/** Shows the result of a check: the verdicts on the records, and the findings. */
export function CheckStep({ practice, data }: { practice: number; data: RunPage }) {
  const { run, totals, groups } = data;
  if (totals.patients.records === 0) {
    return <p className="text-soft">{text.none}</p>;
  }
  const isBlocked = totals.blocked.records > 0;
  const convertible = totals.patients.records - totals.patients.refused;
  return (
    <>
      <div className="mb-6 grid gap-6 lg:grid-cols-2">
        <Totals label={text.patients} counts={totals.patients} practice={practice} run={run.id} />
        <Totals label={text.insurances} counts={totals.insurances} practice={practice} run={run.id} />
      </div>
      {run.state === "checked" && <BlockedNotice practice={practice} run={run.id} blocked={totals.blocked} />}
      {run.state === "checked" && !isBlocked && (
        <div className="mb-6">
          <Notice tone="good" title={text.ready}>
            {totals.left_out > 0
              ? text.convertibleSkipped(convertible, totals.left_out)
              : text.convertible(convertible)}
          </Notice>
        </div>
      )}
      <Section title={text.findings} lead={text.findingsLead}>
        {groups.length === 0 ? (
          <p className="text-soft">{text.noFindings}</p>
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
      total={text.total(counts.records)}
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
