"use client";

import { Select } from "./controls";
import { inputLook } from "./field";

/** A filter of a few values. */
export function Choice<T extends string>(props: {
  label: string;
  value: T | null;
  options: readonly T[];
  /** Where a value is not its own word. */
  words?: Partial<Record<T, string>>;
  onChange: (value: T | null) => void;
}) {
  const { label, value, options, words, onChange } = props;
  return (
    <Select
      aria-label={label}
      className={`${inputLook} w-auto!`}
      value={value ?? ""}
      onChange={(event) => onChange((event.target.value as T) || null)}
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {capital(words?.[option] ?? wordOf(option))}
        </option>
      ))}
    </Select>
  );
}

/** `insurance_plans` as words. */
export function wordOf(value: string): string {
  return value.replaceAll("_", " ");
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
