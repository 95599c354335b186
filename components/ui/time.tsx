"use client";

import { createContext, type ReactNode, useContext } from "react";
import { dateFormat } from "@/lib/platform/date-format";
import { exactTime as bothTimes, relativeTime as text } from "./messages/page";
import { useNow } from "./now";

const Zone = createContext("UTC");

const ServerDay = createContext("");

interface ZoneProviderProps {
  zone: string;
  /** The day (`YYYY-MM-DD`) in the time zone when the server rendered the page. */
  today: string;
  children: ReactNode;
}

/** Sets the time zone of all times below: the practice's. */
export function ZoneProvider({ zone, today, children }: ZoneProviderProps) {
  return (
    <Zone value={zone}>
      <ServerDay value={today}>{children}</ServerDay>
    </Zone>
  );
}

/** Returns the practice's time zone. */
export function useZone(): string {
  return useContext(Zone);
}

/** Returns the practice's day (`YYYY-MM-DD`) when the server rendered the page. */
export function useServerDay(): string {
  return useContext(ServerDay);
}

const DAY_MS = 86_400_000;
const LOCALE = "en-US";

/** Formats an exact time: `Nov 21, 2026, 9:41 AM EST`. */
function exactTime(time: string, zone: string): string {
  return dateFormat(LOCALE, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: zone,
    timeZoneName: "short",
  }).format(new Date(time));
}

/** Formats a relative time: `12 min ago`, `in 3 h`. Returns null if it is a day or more away. */
function relativeTime(time: string, now: number): string | null {
  const ms = Date.parse(time) - now;
  if (Math.abs(ms) >= DAY_MS) return null;
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return text.now;
  const amount = minutes < 60 ? text.minutes(minutes) : text.hours(Math.round(minutes / 60));
  return ms < 0 ? text.past(amount) : text.future(amount);
}

interface TimeProps {
  /** ISO 8601. */
  value: string;
  /** Shows the exact time even if it is less than a day away. */
  exact?: boolean;
}

/**
 * Renders a time in the practice's time zone, relative if less than a day away. The tooltip has the exact time, there and in
 * UTC.
 */
export function Time({ value, exact = false }: TimeProps) {
  const zone = useContext(Zone);
  const now = useNow();
  const shown = exactTime(value, zone);
  // The server renders the exact time, because it does not know when the page will be read.
  const relative = exact || now === null ? null : relativeTime(value, now);
  return (
    <time dateTime={value} title={bothTimes(shown, new Date(value).toISOString().replace("T", " ").slice(0, 16))}>
      {relative ? (
        <>
          <span className="whitespace-nowrap print:hidden">{relative}</span>
          <span className="print-only">
            <ExactTime shown={shown} />
          </span>
        </>
      ) : (
        <ExactTime shown={shown} />
      )}
    </time>
  );
}

/** Renders an exact time. In a narrow column it wraps between the date and the time of day. */
function ExactTime({ shown }: { shown: string }) {
  const end = shown.lastIndexOf(", ") + 1;
  return (
    <>
      <span className="whitespace-nowrap">{shown.slice(0, end)}</span>{" "}
      <span className="whitespace-nowrap">{shown.slice(end + 1)}</span>
    </>
  );
}

/** Renders a date without a time or zone (`YYYY-MM-DD`), shown as `May 17, 1980`. */
export function Day({ value }: { value: string }) {
  const shown = dateFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${value}T00:00:00Z`));
  return (
    <time dateTime={value} title={value} className="whitespace-nowrap">
      {shown}
    </time>
  );
}
