"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";
import { Time } from "./time";

interface ActiveFiltersProps {
  filters: readonly { name: string; label: ReactNode }[];
  onRemove: (name: string) => void;
  onClear: () => void;
}

/** The filters that are set, each to be lifted on its own or all at once. */
export function ActiveFilters({ filters, onRemove, onClear }: ActiveFiltersProps) {
  if (filters.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      {filters.map(({ name, label }) => (
        <FilterChip key={name} label={label} onRemove={() => onRemove(name)} />
      ))}
      <Button kind="quiet" onClick={onClear}>
        Clear filters
      </Button>
    </div>
  );
}

/** What a chip says: the filter's name, and its value in words or as a time. */
export function ChipText({
  name,
  value,
  isTime,
  words,
}: {
  name: string;
  value: string;
  isTime: boolean;
  words: string;
}) {
  return (
    <>
      <span className="text-soft">{name}</span> {isTime ? <Time value={value} exact /> : words}
    </>
  );
}

/** One filter that is set, and the way to lift it. */
function FilterChip({ label, onRemove }: { label: ReactNode; onRemove: () => void }) {
  return (
    <span className="border-line bg-raised inline-flex max-w-full items-center gap-1 rounded-md border pl-2">
      <span className="min-w-0 truncate">{label}</span>
      <button
        type="button"
        aria-label="Remove this filter"
        title="Remove this filter"
        onClick={onRemove}
        className="hover:bg-sunken grid size-7 shrink-0 place-items-center rounded-md"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
