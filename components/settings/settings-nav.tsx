"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { classNames } from "@/components/ui/class-names";
import { settingsNav as text } from "./messages/practice";

const PAGES = [
  { label: text.practice, path: "" },
  { label: text.members, path: "/members" },
  { label: text.audit, path: "/audit" },
];

/** Shows the tabs of the settings. */
export function SettingsNav({ base }: { base: string }) {
  const pathname = usePathname();
  return (
    <nav aria-label={text.label} className="border-line screen-only mb-5 flex gap-1 overflow-x-auto border-b">
      {PAGES.map(({ label, path }) => {
        const here = pathname === base + path;
        return (
          <Link
            key={path}
            href={base + path}
            aria-current={here ? "page" : undefined}
            className={classNames(
              "-mb-px border-b-2 px-2.5 py-1.5 font-medium whitespace-nowrap focus-visible:-outline-offset-2",
              here ? "border-accent text-ink" : "text-soft hover:text-ink border-transparent",
            )}
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
