"use client";

import { RefreshCw, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/status";

/** What the reader of a list that stays in place should know: what is new, and whether it is up to date. */
export function ListState(props: {
  newer: number;
  /** `new events`, for one and for many. */
  nouns: [one: string, many: string];
  onShow: () => void;
  error: Error | null;
  outdated: Error | null;
}) {
  const { newer, nouns, onShow, error, outdated } = props;
  const text = newer > 0 ? `${new Intl.NumberFormat("en-US").format(newer)} ${nouns[newer === 1 ? 0 : 1]}` : "";
  return (
    <>
      {error && (
        <div className="mb-3">
          <Notice tone="bad" live title="The list could not be brought up to date">
            {error.message}
          </Notice>
        </div>
      )}
      <div className="screen-only mb-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        {/* In a place of its own, so that nothing moves when it appears. */}
        <p role="status" className={newer > 0 ? "sr-only" : "text-soft"}>
          {text || (outdated ? "Not up to date: the server can't be reached. Trying again." : "Up to date")}
        </p>
        {newer > 0 && (
          <Button onClick={onShow}>
            <RefreshCw aria-hidden className="size-4" /> {text}, show
          </Button>
        )}
        {newer > 0 && outdated && <span className="text-soft">Not up to date: the server can't be reached.</span>}
      </div>
    </>
  );
}

/** The filters that are set, each to be lifted on its own or all at once. */
export function ActiveFilters({
  filters,
  onRemove,
  onClear,
}: {
  filters: readonly { name: string; label: ReactNode }[];
  onRemove: (name: string) => void;
  onClear: () => void;
}) {
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
