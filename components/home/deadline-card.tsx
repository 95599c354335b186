import { Day } from "@/components/ui/time";
import type { Deadline, PracticeHome } from "@/lib/api/home/queries";
import { Card, Figure } from "./card";
import { deadlineCard as text } from "./messages/practice";

/** Shows the countdown to the deprecation date, as a figure and on a timeline. */
export function DeadlineCard({ practice, settings }: { practice: PracticeHome; settings: string }) {
  const { deadline, versioning } = practice;
  const { days } = deadline;
  const figure = days === 0 ? text.today : text.days(Math.abs(days));
  const phrase = days === 0 ? text.isToday : days > 0 ? text.before : text.after;
  return (
    <Card id="deadline" title={text.title} link={{ label: text.settings, href: settings }}>
      <Figure value={figure}>{phrase}</Figure>
      <Timeline deadline={deadline} />
      <dl className="mt-auto grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt className="text-soft">{text.date}</dt>
        <dd>
          <Day value={deadline.date} />
        </dd>
        <dt className="text-soft">{text.mode}</dt>
        <dd>{text.modes[deadline.mode]}</dd>
        <dt className="text-soft">{text.versioning}</dt>
        <dd>{versioning ? text.on : text.off}</dd>
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
      <Mark at={from} look="bg-ink" label={text.today} />
      {rehearsal && <Mark at={place(rehearsal)} look="bg-raised border-2 border-warn" label={text.rehearsal} />}
      <Mark at={to} look="bg-accent rotate-45 rounded-none" label={today === date ? "" : text.date} />
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
