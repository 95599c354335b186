"use client";

import { Check } from "lucide-react";
import Link from "next/link";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef, useState } from "react";
import { classNames } from "./class-names";
import type { MenuEntry, MenuProps } from "./menu";
import { useEscape } from "./use-escape";

const ITEM =
  "data-highlighted:bg-sunken flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 outline-none data-disabled:cursor-default data-disabled:opacity-50";

/** Renders the button and its menu, once the code has loaded. */
export function MenuPanel({ trigger, entries, align = "end", defaultOpen }: MenuProps & { defaultOpen: boolean }) {
  const [open, setOpen] = useState(defaultOpen);
  useEscape(open ? () => setOpen(false) : null);
  const selected = useRef<(() => void) | null>(null);
  /** Runs the selected action after the focus is back on the button, so that a dialog it opens returns the focus there too. */
  const onCloseAutoFocus = (event: Event) => {
    const action = selected.current;
    if (!action) return;
    selected.current = null;
    event.preventDefault();
    const menu = event.currentTarget instanceof Element ? event.currentTarget : null;
    document.getElementById(menu?.getAttribute("aria-labelledby") ?? "")?.focus();
    action();
  };
  const select = (action: () => void) => {
    selected.current = action;
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
            <Entry key={entry.key} entry={entry} onSelect={select} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ entry, onSelect }: { entry: MenuEntry; onSelect: (action: () => void) => void }) {
  if ("choices" in entry) {
    return (
      <DropdownMenu.RadioGroup aria-label={entry.heading} value={entry.chosen ?? ""}>
        <Heading>{entry.heading}</Heading>
        {entry.choices.map((choice) => (
          <DropdownMenu.RadioItem
            key={choice.value}
            value={choice.value}
            onSelect={() => onSelect(choice.onSelect)}
            className={ITEM}
          >
            <Check aria-hidden className={classNames("size-4", choice.value !== entry.chosen && "invisible")} />
            {choice.label}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    );
  }
  if ("heading" in entry) return <Heading>{entry.heading}</Heading>;
  if ("href" in entry) {
    return (
      <DropdownMenu.Item asChild className={ITEM}>
        <Link href={entry.href}>{entry.label}</Link>
      </DropdownMenu.Item>
    );
  }
  if ("onSelect" in entry) {
    return (
      <DropdownMenu.Item
        onSelect={() => onSelect(entry.onSelect)}
        className={classNames(ITEM, entry.danger && "text-bad")}
      >
        {entry.label}
      </DropdownMenu.Item>
    );
  }
  return <DropdownMenu.Separator className="bg-line my-1 h-px" />;
}

function Heading({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="text-soft px-2 py-1 text-sm">{children}</DropdownMenu.Label>;
}
