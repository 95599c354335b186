"use client";

import { createContext, type ReactNode, useContext } from "react";
import { dateFormat } from "@/lib/platform/date-format";
import { useNow } from "./now";

const Zone = createContext("UTC");

/** Times below are shown in this zone: the practice's. */
export function ZoneProvider({ zone, children }: { zone: string; children: ReactNode }) {
  return <Zone value={zone}>{children}</Zone>;
}

/** The practice's zone. */
export function useZone(): string {
  return useContext(Zone);
}

const DAY_MS = 86_400_000;
const LOCALE = "en-US";

/** `Nov 21, 2026, 9:41 AM EST` */
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

/** `12 min ago`, `in 3 h`; null a day or more away. */
function relativeTime(time: string, now: number): string | null {
  const ms = Date.parse(time) - now;
  if (Math.abs(ms) >= DAY_MS) return null;
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "just now";
  const amount = minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return ms < 0 ? `${amount} ago` : `in ${amount}`;
}

/** A time in the practice's zone, relative under a day, with the exact time there and in UTC on hover and in print. */
export function Time({ value, exact = false }: { value: string; exact?: boolean }) {
  const zone = useContext(Zone);
  const now = useNow();
  const shown = exactTime(value, zone);
  // The server does not know when the page is read: it sends the exact time, which the browser replaces.
  const relative = exact || now === null ? null : relativeTime(value, now);
  return (
    <time
      dateTime={value}
      title={`${shown} · ${new Date(value).toISOString().replace("T", " ").slice(0, 16)} UTC`}
      className="whitespace-nowrap"
    >
      {relative ? (
        <>
          <span className="print:hidden">{relative}</span>
          <span className="print-only">{shown}</span>
        </>
      ) : (
        shown
      )}
    </time>
  );
}

/** A day without a time (`YYYY-MM-DD`), of no zone: `May 17, 1980`. */
export function Day({ value }: { value: string }) {
  const shown = dateFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${value}T00:00:00Z`));
  return (
    <time dateTime={value} title={value} className="whitespace-nowrap">
      {shown}
    </time>
  );
}
