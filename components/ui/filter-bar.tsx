import type { ReactNode } from "react";
import { ActiveFilters, FilterChipText } from "./active-filters";
import type { ListFilter } from "./use-list-filter";

interface FilterBarProps extends Pick<ListFilter, "filter" | "remove" | "clear"> {
  /** The accessible name: `Filter events`. */
  label: string;
  /** What each filter is called on its chip. */
  names: Record<string, string>;
  /** Turns a filter's value into words. Not called for times (`from`, `to`). */
  toWords: (name: string, value: string) => string;
  /** The inputs. */
  children: ReactNode;
}

/** Renders the inputs that narrow a list, with a removable chip for each filter that is set. */
export function FilterBar({ label, names, toWords, filter, remove, clear, children }: FilterBarProps) {
  const chips = Object.entries(filter).map(([name, value]) => {
    const isTime = name === "from" || name === "to";
    const text = isTime ? value : toWords(name, value);
    return { name, label: <FilterChipText name={names[name] ?? name} value={value} isTime={isTime} text={text} /> };
  });
  return (
    <search aria-label={label} className="screen-only mb-2 block">
      <div className="flex flex-wrap items-center gap-2">{children}</div>
      <ActiveFilters filters={chips} onRemove={remove} onClear={clear} />
    </search>
  );
}
