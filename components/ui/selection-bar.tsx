"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { table as text } from "./messages/lists";

interface SelectionBarProps {
  count: number;
  /** The accessible name: `Selected events`. */
  label: string;
  /** `3 events selected`. */
  status: string;
  onClear: () => void;
  /** Actions on the selected rows. */
  children: ReactNode;
}

/** Appears while rows are selected, with their count and actions. */
export function SelectionBar({ count, label, status, onClear, children }: SelectionBarProps) {
  if (count === 0) return null;
  return (
    <section
      data-bottom-bar
      aria-label={label}
      className="border-line bg-raised screen-only sticky bottom-16 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-md border px-3 py-2 shadow-lg min-[900px]:bottom-3"
    >
      <p role="status" className="mr-auto">
        {status}
      </p>
      {children}
      <Button onClick={onClear}>
        <X aria-hidden className="size-4" /> {text.clearSelection}
      </Button>
    </section>
  );
}
