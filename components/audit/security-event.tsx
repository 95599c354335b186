import type { ReactNode } from "react";
import { humanize } from "@/components/ui/filter-select";
import { capitalize, formatNumber } from "@/components/ui/format";
import { Time } from "@/components/ui/time";
import { SECURITY_EVENTS, type SecurityDetail } from "@/lib/access/audit/events";

/** Shows a security event as one line. */
export function EventSummary({ operation, detail }: { operation: string; detail: SecurityDetail }) {
  const { about, cause, count } = detail;
  return (
    <span>
      {eventTitle(operation)}
      {about && `: ${about.name}`}
      {cause && <span className="text-soft"> · {humanize(cause)}</span>}
      {count !== undefined && <span className="text-soft"> · {formatNumber(count)} times</span>}
    </span>
  );
}

/** Returns the fields of a security event. */
export function eventFacts(operation: string, detail: SecurityDetail): [string, ReactNode][] {
  const { about, cause, changes = {}, facts = {}, count, first_date, last_date } = detail;
  return [
    ["Event", eventTitle(operation)],
    ["About", about && `${about.name} (${about.type} ${about.id})`],
    ["Cause", cause && humanize(cause)],
    ...Object.entries(changes).map(([field, change]): [string, ReactNode] => [
      capitalize(humanize(field)),
      `${valueText(change.old)} → ${valueText(change.new)}`,
    ]),
    ...Object.entries(facts).map(([name, value]): [string, ReactNode] => [
      capitalize(humanize(name)),
      valueText(value),
    ]),
    ...(count === undefined ? [] : ([["Count", formatNumber(count)]] satisfies [string, ReactNode][])),
    ...(first_date && last_date
      ? ([
          ["First", <Time key="first" value={first_date} exact />],
          ["Last", <Time key="last" value={last_date} exact />],
        ] satisfies [string, ReactNode][])
      : []),
  ];
}

function eventTitle(operation: string): string {
  return SECURITY_EVENTS[operation as keyof typeof SECURITY_EVENTS] ?? operation;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
