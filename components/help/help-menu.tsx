"use client";

import { CircleHelp } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { helpMenu as text } from "./messages/menu";
import { useHasNews } from "./use-news";

interface HelpMenuProps {
  /** `/practices/{id}` */
  base: string;
  isAdmin: boolean;
  onShortcuts: () => void;
  /** Shows only an icon. */
  compact?: boolean;
}

/** Shows the help menu, with a dot while there is news. */
export function HelpMenu({ base, isAdmin, onShortcuts, compact = false }: HelpMenuProps) {
  const hasNews = useHasNews(isAdmin);
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          size={compact ? "icon" : "normal"}
          className={compact ? "relative" : "text-soft hover:text-ink relative justify-start gap-2 pl-2 font-normal"}
          aria-label={hasNews ? text.triggerWithNews : text.trigger}
        >
          <CircleHelp aria-hidden className="size-4 shrink-0" />
          {!compact && text.trigger}
          {hasNews && <span aria-hidden className="bg-accent absolute top-1 left-5.5 size-1.5 rounded-full" />}
        </Button>
      }
      entries={[
        { key: "guide", label: text.guide, href: `${base}/help` },
        { key: "shortcuts", label: text.shortcuts, onSelect: onShortcuts },
        { key: "glossary", label: text.glossary, href: `${base}/help/glossary` },
        {
          key: "news",
          label: (
            <>
              {text.news}
              {hasNews && (
                <span className="bg-accent-soft text-accent-strong rounded px-1.5 text-sm">{text.newEntries}</span>
              )}
            </>
          ),
          href: `${base}/help/news`,
        },
        ...(isAdmin
          ? [
              { key: "before docs", separator: true as const },
              { key: "docs", label: text.docs, href: "/docs" },
            ]
          : []),
      ]}
    />
  );
}
