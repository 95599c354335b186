"use client";

import { Popover } from "radix-ui";
import { useState } from "react";
import type { PopoverProps } from "./popover";
import { useEscape } from "./use-escape";

/** Renders the button and its popover, once the code has loaded. */
export function PopoverPanel({ trigger, label, children, defaultOpen }: PopoverProps & { defaultOpen: boolean }) {
  const [open, setOpen] = useState(defaultOpen);
  useEscape(open ? () => setOpen(false) : null);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="bg-raised border-line z-50 max-w-80 rounded-md border p-3 shadow-lg outline-none"
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
