"use client";

import { Select } from "./controls";
import { inputClass } from "./field";
import { capitalize } from "./format";
import { filters as text } from "./messages/lists";

interface FilterSelectProps<T extends string> {
  label: string;
  value: T | null;
  options: readonly T[];
  /** Labels of options whose value does not read well. */
  labels?: Partial<Record<T, string>>;
  /** Called with null for "any". */
  onChange: (value: T | null) => void;
}

/** Renders a filter with a few options. */
export function FilterSelect<T extends string>({ label, value, options, labels, onChange }: FilterSelectProps<T>) {
  return (
    <Select
      aria-label={label}
      className={`${inputClass} w-auto! max-sm:grow`}
      value={value ?? ""}
      onChange={(event) => onChange(options.find((option) => option === event.target.value) ?? null)}
    >
      <option value="">{text.any(label)}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {capitalize(labels?.[option] ?? humanize(option))}
        </option>
      ))}
    </Select>
  );
}

/** Turns an identifier into words: `insurance_plans` becomes `insurance plans`. */
export function humanize(value: string): string {
  return value.replaceAll("_", " ");
}
