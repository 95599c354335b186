import { pluralize } from "@/components/ui/format";
import { Day } from "@/components/ui/time";
import type { Deadline, PracticeHome } from "@/lib/api/home/queries";
import { Card, Figure } from "./card";

/** Shows the countdown to the deprecation date, as a figure and on a timeline. */
export function DeadlineCard({ practice, settings }: { practice: PracticeHome; settings: string }) {
  const { deadline, versioning } = practice;
  const { days } = deadline;
  const figure = days === 0 ? "Today" : pluralize(Math.abs(days), "day");
  const phrase =
    days === 0 ? "is the deprecation date" : days > 0 ? "to the deprecation date" : "past the deprecation date";
  return (
    <Card id="deadline" title="Deadline" link={{ label: "Settings", href: settings }}>
      <Figure value={figure}>{phrase}</Figure>
      <Timeline deadline={deadline} />
      <dl className="mt-auto grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt className="text-soft">Date</dt>
        <dd>
          <Day value={deadline.date} />
        </dd>
        <dt className="text-soft">Mode</dt>
        <dd>
          {deadline.mode === "announce" ? "Announce: nothing is rejected" : "Enforce: rejected from this date on"}
        </dd>
        <dt className="text-soft">Versioning</dt>
        <dd>{versioning ? "Enabled" : "Disabled: staff use the legacy interface"}</dd>
      </dl>
    </Card>
  );
}

const DAY_MS = 86_400_000;

/** Shows a timeline with today, the deprecation date and the rehearsal date. The text next to it says the same. */
function Timeline({ deadline: { date, today, rehearsal } }: { deadline: Deadline }) {
  const at = (day: string) => Date.parse(day) / DAY_MS;
  const days = [at(today), at(date), ...(rehearsal ? [at(rehearsal)] : [])];
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const place = (day: string) => (first === last ? 50 : 8 + (84 * (at(day) - first)) / (last - first));
  const [from, to] = [place(today), place(date)];
  return (
    <div aria-hidden className="relative my-3 h-9 text-sm">
      <div className="bg-line absolute inset-x-0 top-1.5 h-px" />
      <div
        className={`absolute top-1 h-1 rounded ${from <= to ? "bg-accent/50" : "bg-warn/50"}`}
        style={{ left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` }}
      />
      <Mark at={from} look="bg-ink" label="Today" />
      {rehearsal && <Mark at={place(rehearsal)} look="bg-raised border-2 border-warn" label="Rehearsal" />}
      <Mark at={to} look="bg-accent rotate-45 rounded-none" label={today === date ? "" : "Date"} />
    </div>
  );
}

function Mark({ at, look, label }: { at: number; look: string; label: string }) {
  return (
    <div className="absolute top-0 flex -translate-x-1/2 flex-col items-center gap-1.5" style={{ left: `${at}%` }}>
      <span className={`size-3 rounded-full ${look}`} />
      <span className="text-soft">{label}</span>
    </div>
  );
}
