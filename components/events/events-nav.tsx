"use client";

import Link from "next/link";
import { classNames } from "@/components/ui/class-names";
import { eventsNav as text } from "./messages/events";

/** Shows tabs for the events and the subscriptions that receive them. */
export function EventsNav({ practice, current }: { practice: number; current: "events" | "subscriptions" }) {
  const pages = [
    { name: "events", label: text.events, path: "" },
    { name: "subscriptions", label: text.subscriptions, path: "/subscriptions" },
  ];
  return (
    <nav aria-label={text.label} className="border-line screen-only mb-3 flex gap-1 border-b">
      {pages.map(({ name, label, path }) => (
        <Link
          key={name}
          href={`/practices/${practice}/events${path}`}
          aria-current={name === current ? "page" : undefined}
          className={classNames(
            "-mb-px border-b-2 px-2.5 py-1.5 font-medium",
            name === current ? "border-accent" : "text-soft hover:text-ink border-transparent",
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
