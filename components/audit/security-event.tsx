import type { ReactNode } from "react";
import { humanize } from "@/components/ui/filter-select";
import { capitalize, formatNumber } from "@/components/ui/format";
import { Time } from "@/components/ui/time";
import { SECURITY_EVENTS, type SecurityDetail } from "@/lib/access/audit/events";
import { securityEvent as text } from "./messages/log";

/** Shows the cause and count of a security event in one line. */
export function EventFactsLine({ detail: { cause, count } }: { detail: SecurityDetail }) {
  return (
    <>
      {cause && <span>{humanize(cause)}</span>}
      {count !== undefined && <span>{text.times(count)}</span>}
    </>
  );
}

/** Returns the fields of a security event. */
export function eventFacts(operation: string, detail: SecurityDetail): [string, ReactNode][] {
  const { about, cause, changes = {}, facts = {}, count, first_date, last_date } = detail;
  return [
    [text.event, eventTitle(operation)],
    [text.about, about && text.subject(about.name, about.type, about.id)],
    [text.cause, cause && humanize(cause)],
    ...Object.entries(changes).map(([field, change]): [string, ReactNode] => [
      capitalize(humanize(field)),
      text.change(valueText(change.old), valueText(change.new)),
    ]),
    ...Object.entries(facts).map(([name, value]): [string, ReactNode] => [
      capitalize(humanize(name)),
      valueText(value),
    ]),
    ...(count === undefined ? [] : ([[text.count, formatNumber(count)]] satisfies [string, ReactNode][])),
    ...(first_date && last_date
      ? ([
          [text.first, <Time key="first" value={first_date} exact />],
          [text.last, <Time key="last" value={last_date} exact />],
        ] satisfies [string, ReactNode][])
      : []),
  ];
}

function eventTitle(operation: string): string {
  return SECURITY_EVENTS[operation as keyof typeof SECURITY_EVENTS] ?? operation;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return text.none;
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(", ") : text.none;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
