import { formatNumber, pluralize } from "@/components/ui/format";
import type { PracticeHome } from "@/lib/api/home/queries";
import { Card, Figure } from "./card";
import { formatPercent } from "./format";

/** Shows the share of patients whose policies and legacy records are in sync. */
export function ReadinessCard({ practice, report }: { practice: PracticeHome; report: string }) {
  const { patients, legacy } = practice;
  const settled = patients - Math.min(patients, practice.stream.unsettled);
  const share = patients === 0 ? 100 : (100 * settled) / patients;
  return (
    <Card id="readiness" title="Readiness" link={{ label: "Report", href: report }}>
      <Figure value={formatPercent(settled, patients)}>of patients are in sync</Figure>
      <div aria-hidden className="bg-warn-soft my-4 h-2 overflow-hidden rounded">
        <div className="bg-accent h-full" style={{ width: `${share}%` }} />
      </div>
      <dl className="mt-auto grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
        <dt className="text-soft">Patients in sync</dt>
        <dd className="text-right">
          {formatNumber(settled)} of {formatNumber(patients)}
        </dd>
        <dt className="text-soft">Clients still using legacy, 7 days</dt>
        <dd className="text-right">{legacy.clients === 0 ? "None" : pluralize(legacy.clients, "client")}</dd>
        <dt className="text-soft">Legacy writes, 7 days</dt>
        <dd className="text-right">{formatNumber(legacy.writes)}</dd>
      </dl>
    </Card>
  );
}
