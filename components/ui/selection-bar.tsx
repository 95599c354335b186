"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { pluralize } from "./format";

interface SelectionBarProps {
  count: number;
  /** What the rows are: `event`. */
  noun: string;
  onClear: () => void;
  /** Actions on the selected rows. */
  children: ReactNode;
}

/** Appears while rows are selected, with their count and actions. */
export function SelectionBar({ count, noun, onClear, children }: SelectionBarProps) {
  if (count === 0) return null;
  return (
    <section
      aria-label={`Selected ${noun}s`}
      className="border-line bg-raised screen-only sticky bottom-16 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-md border px-3 py-2 shadow-lg min-[900px]:bottom-3"
    >
      <p role="status" className="mr-auto">
        {pluralize(count, noun)} selected
      </p>
      {children}
      <Button onClick={onClear}>
        <X aria-hidden className="size-4" /> Clear selection
      </Button>
    </section>
  );
}
