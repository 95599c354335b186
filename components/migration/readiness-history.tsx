import { Summary } from "@/components/ui/disclosure";
import { formatNumber } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { PlainTable } from "@/components/ui/plain-table";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { readinessHistory as words } from "./messages/readiness";
import { PARTS } from "./messages/terms";

const ReadinessChart = lazyWithRetry(
  async () => (await import("./readiness-chart")).ReadinessChart,
  () => <div className="bg-sunken size-full animate-pulse rounded-md" />,
);

const NARROW = "max-sm:px-1.5";
const COLUMNS = [
  { name: words.day, className: NARROW },
  ...PARTS.map(({ text }) => ({ name: text, className: `text-right ${NARROW}` })),
];

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
        <div className="mt-2 max-w-2xl">
          <PlainTable label={words.label} columns={COLUMNS}>
            {days.map((day) => (
              <tr key={day.day} className="border-line border-b last:border-0">
                <th scope="row" className={`px-3 py-1 text-left font-normal ${NARROW}`}>
                  <Day value={day.day} />
                </th>
                {PARTS.map(({ part }) => (
                  <td key={part} className={`px-3 py-1 text-right tabular-nums ${NARROW}`}>
                    {formatNumber(day[part])}
                  </td>
                ))}
              </tr>
            ))}
          </PlainTable>
        </div>
      </details>
    </Section>
  );
}
