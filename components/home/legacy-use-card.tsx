"use client";

import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import type { LegacyClient, LegacyDay } from "@/lib/practice/practices/legacy-usage";
import { Card } from "./card";
import { ClientTable, DayTable } from "./legacy-use-tables";
import { legacyUse as text } from "./messages/practice";

const LegacyChart = lazyWithRetry(
  async () => (await import("./legacy-chart")).default,
  () => <div className="bg-sunken size-full animate-pulse rounded-md" />,
);

interface Props {
  days: LegacyDay[];
  clients: LegacyClient[];
  deadline: string;
  /** The page that manages API clients. */
  manage: string;
}

/** Shows the legacy use of the last 30 days, as a summary, a chart and tables. */
export function LegacyUseCard({ days, clients, deadline, manage }: Props) {
  const used = days.some(({ reads, writes }) => reads + writes > 0);
  return (
    <Card id="legacy-use" title={text.title} link={{ label: text.link, href: manage }} className="scroll-mt-16">
      {used ? (
        <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="min-w-0">
            <p>{summarize(days)}</p>
            <Legend />
            <div aria-hidden className="screen-only mt-2 h-48">
              <LegacyChart days={days} deadline={deadline} />
            </div>
            <DayTable days={days} />
          </div>
          <ClientTable clients={clients} />
        </div>
      ) : (
        <p className="text-soft">{text.none}</p>
      )}
    </Card>
  );
}

/** Summarizes the use of the last 30 days and the weekly trend of writes. */
function summarize(days: readonly LegacyDay[]): string {
  const sum = (part: readonly LegacyDay[], kind: "reads" | "writes") => part.reduce((all, day) => all + day[kind], 0);
  const [week, before] = [sum(days.slice(-7), "writes"), sum(days.slice(-14, -7), "writes")];
  const total = text.total(sum(days, "reads"), sum(days, "writes"));
  if (week === before) return `${total} ${text.steady(week)}`;
  return `${total} ${week < before ? text.fell(before, week) : text.rose(before, week)}`;
}

function Legend() {
  return (
    <p aria-hidden className="screen-only text-soft mt-2 flex gap-4 text-sm">
      <span className="inline-flex items-center gap-1.5">
        <span className="bg-accent size-2.5" /> {text.legend.writes}
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="bg-edge/45 size-2.5" /> {text.legend.reads}
      </span>
    </p>
  );
}
