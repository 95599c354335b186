import { formatNumber } from "@/components/ui/format";
import type { PracticeHome } from "@/lib/api/home/queries";
import type { ReadinessMeasure } from "@/lib/migration/readiness/queries";
import { Card, Figure } from "./card";
import { readinessCard as text } from "./messages/practice";

interface ReadinessCardProps {
  practice: PracticeHome;
  readiness: ReadinessMeasure;
  /** The path of Migration. */
  migration: string;
}

/** Shows the share of the current run's records that are converted and verified, as Migration and the report do. */
export function ReadinessCard({ practice, readiness, migration }: ReadinessCardProps) {
  const { patients, legacy, stream } = practice;
  const { run, percent, parts, records } = readiness;
  return (
    <Card
      id="readiness"
      title={text.title}
      link={run ? { label: text.report, href: `${migration}/readiness` } : { label: text.migration, href: migration }}
    >
      {run ? (
        <>
          <Figure value={text.percent(percent)}>{text.means}</Figure>
          <div aria-hidden className="bg-warn-soft my-4 h-2 overflow-hidden rounded">
            <div className="bg-accent h-full" style={{ width: `${percent}%` }} />
          </div>
        </>
      ) : (
        <p className="text-soft mb-4">{text.noRun}</p>
      )}
      <dl className="mt-auto grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
        {run && (
          <>
            <dt className="text-soft">{text.verified}</dt>
            <dd className="text-right">{text.share(parts.verified, records)}</dd>
          </>
        )}
        <dt className="text-soft">{text.inSync}</dt>
        <dd className="text-right">{text.share(patients - Math.min(patients, stream.unsettled), patients)}</dd>
        <dt className="text-soft">{text.legacyClients}</dt>
        <dd className="text-right">{text.clients(legacy.clients)}</dd>
        <dt className="text-soft">{text.legacyWrites}</dt>
        <dd className="text-right">{formatNumber(legacy.writes)}</dd>
      </dl>
    </Card>
  );
}
