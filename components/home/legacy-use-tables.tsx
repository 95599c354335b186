import { Summary } from "@/components/ui/disclosure";
import { formatNumber } from "@/components/ui/format";
import { Day } from "@/components/ui/time";
import type { LegacyClient, LegacyDay } from "@/lib/practice/practices/legacy-usage";
import { legacyUse as text } from "./messages/practice";

const HEAD = "text-soft py-1.5 text-sm font-medium";

/** Shows legacy use by day, collapsed at first. */
export function DayTable({ days }: { days: LegacyDay[] }) {
  return (
    <details className="mt-2">
      <Summary className="text-soft hover:text-ink min-h-6">{text.figures}</Summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section tabIndex={0} aria-label={text.byDay} className="mt-1 max-h-64 overflow-y-auto">
        <table className="w-full">
          <thead>
            <tr className="border-line border-b">
              <th scope="col" className={`${HEAD} text-left`}>
                {text.day}
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                {text.writes}
              </th>
              <th scope="col" className={`${HEAD} text-right`}>
                {text.reads}
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

/** Shows legacy use by client in the last 7 days. */
export function ClientTable({ clients }: { clients: LegacyClient[] }) {
  return (
    <div className="min-w-0">
      <table className="w-full">
        <caption className="text-left">{text.byClient}</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className={`${HEAD} text-left`}>
              {text.client}
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              {text.writes}
            </th>
            <th scope="col" className={`${HEAD} pl-4 text-right`}>
              {text.reads}
            </th>
            <th scope="col" className={`${HEAD} pl-4 text-right max-sm:hidden`}>
              {text.lastUsed}
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
