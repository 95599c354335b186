import { Summary } from "@/components/ui/disclosure";
import { formatNumber } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { readinessHistory as words } from "./messages/readiness";
import { PARTS } from "./messages/terms";

const ReadinessChart = lazyWithRetry(
  async () => (await import("./readiness-chart")).ReadinessChart,
  () => <div className="bg-sunken size-full animate-pulse rounded-md" />,
);

/** Readiness by day until the deadline, as a chart and as a table. */
export function ReadinessHistory({ days, deadline }: Pick<Readiness, "days" | "deadline">) {
  // One point is no line.
  const hasCourse = days.length > 1;
  return (
    <Section title={words.title} lead={words.lead}>
      {hasCourse && (
        <div className="border-line bg-raised mb-2 h-56 max-w-[720px] rounded-md border p-3">
          <ReadinessChart days={days} deadline={deadline} />
        </div>
      )}
      <details open={!hasCourse}>
        <Summary className="text-soft hover:text-ink min-h-6">{words.figures}</Summary>
        <table aria-label={words.label} className="mt-2 w-full max-w-2xl border-collapse">
          <thead>
            <tr className="border-line text-soft border-b text-left text-sm">
              <th scope="col" className="h-8 pr-3 font-medium">
                {words.day}
              </th>
              {PARTS.map(({ part, text }) => (
                <th key={part} scope="col" className="h-8 px-3 text-right font-medium">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day} className="border-line border-b last:border-0">
                <th scope="row" className="py-1 pr-3 text-left font-normal">
                  <Day value={day.day} />
                </th>
                {PARTS.map(({ part }) => (
                  <td key={part} className="px-3 py-1 text-right tabular-nums">
                    {formatNumber(day[part])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Section>
  );
}
