"use client";

import { formatNumber, pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Day } from "@/components/ui/time";
import type { LegacyClient, LegacyDay } from "@/lib/practice/practices/usage-queries";
import { Card } from "./card";

const LegacyChart = lazyWithRetry(
  async () => (await import("./legacy-chart")).default,
  () => <div className="bg-sunken size-full animate-pulse rounded-md" />,
);

interface Props {
  days: LegacyDay[];
  clients: LegacyClient[];
  deadline: string;
  /** Where clients are looked after, for those who may. */
  manage: string | null;
}

/** Who still uses the legacy insurances, and how that goes: in words, as a picture, and as a table. */
export function LegacyUseCard({ days, clients, deadline, manage }: Props) {
  const used = days.some(({ reads, writes }) => reads + writes > 0);
  return (
    <Card
      id="legacy-use"
      title="Legacy use"
      link={manage ? { label: "API clients", href: manage } : undefined}
      className="scroll-mt-16"
    >
      {used ? (
        <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="min-w-0">
            <p>{summaryOf(days)}</p>
            <Legend />
            <div aria-hidden className="screen-only mt-2 h-48">
              <LegacyChart days={days} deadline={deadline} />
            </div>
            <DayTable days={days} />
          </div>
          <ClientTable clients={clients} />
        </div>
      ) : (
        <p className="text-soft">No client used the legacy insurances in the last 30 days.</p>
      )}
    </Card>
  );
}

/** The picture in words: how much, and which way it goes. */
export function summaryOf(days: readonly LegacyDay[]): string {
  const sum = (part: readonly LegacyDay[], kind: "reads" | "writes") => part.reduce((all, day) => all + day[kind], 0);
  const [week, before] = [sum(days.slice(-7), "writes"), sum(days.slice(-14, -7), "writes")];
  const total = `${pluralize(sum(days, "reads"), "read")} and ${pluralize(sum(days, "writes"), "write")} in 30 days.`;
  if (week === before) return `${total} Writes stay at ${formatNumber(week)} a week.`;
  return `${total} Writes ${week < before ? "fell" : "rose"} from ${formatNumber(before)} to ${formatNumber(week)} in the last week.`;
}

function Legend() {
  return (
    <p aria-hidden className="screen-only text-soft mt-2 flex gap-4 text-sm">
      <span className="inline-flex items-center gap-1.5">
        <span className="bg-accent size-2.5" /> Writes, below
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="bg-edge/45 size-2.5" /> Reads, above
      </span>
    </p>
  );
}

const HEAD = "text-soft py-1.5 text-sm font-medium";

function DayTable({ days }: { days: LegacyDay[] }) {
  return (
    <details className="mt-2">
      <summary className="text-soft hover:text-ink inline-flex min-h-6 cursor-pointer items-center text-sm underline">
        Figures by day
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <section tabIndex={0} aria-label="Legacy use by day" className="mt-1 max-h-64 overflow-y-auto">
        <table className="w-full">
          <thead>
            <tr className="border-line border-b">
              <th scope="col" className={`${HEAD} text-left`}>
                Day (UTC)
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                Writes
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                Reads
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, reads, writes }) => (
              <tr key={day}>
                <td className="py-0.5">
                  <Day value={day} />
                </td>
                <td className="text-right font-mono">{formatNumber(writes)}</td>
                <td className="text-right font-mono">{formatNumber(reads)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function ClientTable({ clients }: { clients: LegacyClient[] }) {
  return (
    <div className="min-w-0">
      <table className="w-full">
        <caption className="text-left">By client, in the last 7 days</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className={`${HEAD} text-left`}>
              Client
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              Writes
            </th>
            <th scope="col" className={`${HEAD} pl-4 text-right`}>
              Reads
            </th>
            <th scope="col" className={`${HEAD} pl-4 text-right max-sm:hidden`}>
              Last
            </th>
          </tr>
        </thead>
        <tbody>
          {clients.map(({ client_id, name, reads, writes, last_day }) => (
            <tr key={client_id} className="border-line h-9 border-b last:border-0">
              <th scope="row" className="max-w-0 truncate text-left font-normal w-full" title={name}>
                {name}
              </th>
              <td className={`text-right font-mono ${writes > 0 ? "font-semibold" : "text-soft"}`}>
                {formatNumber(writes)}
              </td>
              <td className="text-soft pl-4 text-right font-mono">{formatNumber(reads)}</td>
              <td className="text-soft pl-4 text-right max-sm:hidden">
                <Day value={last_day} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
