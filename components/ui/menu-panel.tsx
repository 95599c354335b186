"use client";

import Link from "next/link";
import { DropdownMenu } from "radix-ui";
import { useRef, useState } from "react";
import { classNames } from "./class-names";
import type { MenuEntry, MenuProps } from "./menu";
import { useEscape } from "./use-escape";

const ITEM =
  "data-highlighted:bg-sunken flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 outline-none data-disabled:cursor-default data-disabled:opacity-50";

/** A button with its menu. */
export function MenuPanel({ trigger, entries, align = "end", defaultOpen }: MenuProps & { defaultOpen: boolean }) {
  const [open, setOpen] = useState(defaultOpen);
  useEscape(open ? () => setOpen(false) : null);
  const chosen = useRef<(() => void) | null>(null);
  /** What was chosen happens once the focus is back on the button: what it opens gives it back there too. */
  const onCloseAutoFocus = (event: Event) => {
    const act = chosen.current;
    if (!act) return;
    chosen.current = null;
    event.preventDefault();
    const button = (event.currentTarget as HTMLElement).getAttribute("aria-labelledby");
    document.getElementById(button ?? "")?.focus();
    act();
  };
  const choose = (act: () => void) => {
    chosen.current = act;
  };
  return (
    <DropdownMenu.Root open={open} onOpenChange={setOpen} modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onCloseAutoFocus}
          className="bg-raised border-line z-50 min-w-44 rounded-md border p-1 shadow-lg"
        >
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} onChoose={choose} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ entry, onChoose }: { entry: MenuEntry; onChoose: (act: () => void) => void }) {
  if ("heading" in entry) {
    return <DropdownMenu.Label className="text-soft px-2 py-1 text-sm">{entry.heading}</DropdownMenu.Label>;
  }
  if ("href" in entry) {
    return (
      <DropdownMenu.Item asChild className={ITEM}>
        <Link href={entry.href}>{entry.words}</Link>
      </DropdownMenu.Item>
    );
  }
  if ("act" in entry) {
    return (
      <DropdownMenu.Item onSelect={() => onChoose(entry.act)} className={classNames(ITEM, entry.danger && "text-bad")}>
        {entry.words}
      </DropdownMenu.Item>
    );
  }
  return <DropdownMenu.Separator className="bg-line my-1 h-px" />;
}
