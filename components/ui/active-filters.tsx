"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { filters as text } from "./messages/lists";
import { Time } from "./time";

interface ActiveFiltersProps {
  filters: readonly { name: string; label: ReactNode }[];
  onRemove: (name: string) => void;
  onClear: () => void;
}

/** Lists the active filters as chips. Each can be removed, and all can be cleared at once. */
export function ActiveFilters({ filters, onRemove, onClear }: ActiveFiltersProps) {
  if (filters.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      {filters.map(({ name, label }) => (
        <FilterChip key={name} label={label} onRemove={() => onRemove(name)} />
      ))}
      <Button kind="quiet" onClick={onClear}>
        {text.clear}
      </Button>
    </div>
  );
}

interface FilterChipTextProps {
  name: string;
  value: string;
  /** Whether the value is a timestamp. */
  isTime: boolean;
  /** The value as text, if it is not a timestamp. */
  text: string;
}

/** Renders the content of a chip: the filter's name and its value. */
export function FilterChipText({ name, value, isTime, text: words }: FilterChipTextProps) {
  return (
    <>
      <span className="text-soft">{name}</span> {isTime ? <Time value={value} exact /> : words}
    </>
  );
}

function FilterChip({ label, onRemove }: { label: ReactNode; onRemove: () => void }) {
  return (
    <span className="border-line bg-raised inline-flex max-w-full items-center gap-1 rounded-md border pl-2">
      <span className="min-w-0 truncate">{label}</span>
      <button
        type="button"
        aria-label={text.remove}
        title={text.remove}
        onClick={onRemove}
        className="hover:bg-sunken grid size-7 shrink-0 place-items-center rounded-md"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
