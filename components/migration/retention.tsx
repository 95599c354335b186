import { formatNumber, pluralize } from "@/components/ui/format";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import type { RollBackResult } from "@/lib/migration/runs/schema";
import type { RunPage } from "@/lib/migration/work/page-queries";

/** Shows which data of a run is kept and for how long, and what a rollback did with payers. */
export function Retention({ data }: { data: RunPage }) {
  const { run, originals_until: until, retention_days: days, event_retention_days: eventDays } = data;
  const wasRolledBack = run.state === "rolled_back";
  return (
    <div className="mt-5 flex flex-col gap-5">
      {run.roll_back && <RestoredPayers companies={run.roll_back.companies} />}
      <Section title="Retention">
        <ul className="list-disc space-y-1 pl-5">
          <li>
            {run.purged_date !== null ? (
              <>
                The records of the export, and what the run replaced, were deleted{" "}
                <Time value={run.purged_date} exact />. The run can no longer be verified or rolled back.
              </>
            ) : until !== null ? (
              <>
                The records of the export, and what the run {wasRolledBack ? "removed" : "replaced"}, are deleted{" "}
                <Time value={until} exact />.{wasRolledBack ? "" : " The run can be rolled back until then."}
              </>
            ) : (
              <>
                The records of the export, and what the run replaces, are deleted {pluralize(days, "day")} after the run
                is verified, rolled back or canceled.
              </>
            )}
          </li>
          <li>Webhook events are kept for {pluralize(eventDays, "day")}.</li>
          <li>The audit log, verdicts and decisions are kept.</li>
        </ul>
      </Section>
    </div>
  );
}

function RestoredPayers({ companies: { removed, restored, kept } }: RollBackResult) {
  if (removed.length + restored.length + kept.length === 0) return null;
  return (
    <Section
      title="Payers"
      lead={`${formatNumber(removed.length)} removed, ${formatNumber(restored.length)} restored.`}
    >
      {kept.length > 0 && (
        <ul aria-label="Payers kept" className="list-disc space-y-1 pl-5">
          {kept.map(({ id, carrier, why }) => (
            <li key={id}>
              {carrier} was kept:{" "}
              {why === "used" ? "insurance records or plans use it" : "it was changed after the conversion"}.
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
