import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import type { RollBackResult } from "@/lib/migration/runs/schema";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { restoredPayers, retention as text } from "./messages/run";

/** Shows which data of a run is kept and for how long, and what a rollback did with payers. */
export function Retention({ data }: { data: RunPage }) {
  const { run, originals_until: until, retention_days: days, event_retention_days: eventDays } = data;
  const wasRolledBack = run.state === "rolled_back";
  return (
    <div className="mt-5 flex flex-col gap-5">
      {run.roll_back && <RestoredPayers companies={run.roll_back.companies} />}
      <Section title={text.title}>
        <ul className="list-disc space-y-1 pl-5">
          <li>
            {run.purged_date !== null
              ? text.purged(<Time value={run.purged_date} exact />)
              : until !== null
                ? (wasRolledBack ? text.untilRolledBack : text.until)(<Time value={until} exact />)
                : text.later(days)}
          </li>
          <li>{text.events(eventDays)}</li>
          <li>{text.audit}</li>
        </ul>
      </Section>
    </div>
  );
}

function RestoredPayers({ companies: { removed, restored, kept } }: RollBackResult) {
  if (removed.length + restored.length + kept.length === 0) return null;
  return (
    <Section title={restoredPayers.title} lead={restoredPayers.lead(removed.length, restored.length)}>
      {kept.length > 0 && (
        <ul aria-label={restoredPayers.label} className="list-disc space-y-1 pl-5">
          {kept.map(({ id, carrier, why }) => (
            <li key={id}>{why === "used" ? restoredPayers.used(carrier) : restoredPayers.changed(carrier)}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}
