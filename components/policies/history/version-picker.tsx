"use client";

import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { historyControls as text } from "../messages/history";

interface VersionPickerProps {
  newest: number;
  from: number;
  to: number;
  onPick: (versions: { from: number; to: number }) => void;
}

/** Selects the two versions to compare. */
export function VersionPicker({ newest, from, to, onPick }: VersionPickerProps) {
  const numbers = Array.from({ length: newest }, (_, index) => newest - index);
  const pick = (a: number, b: number) => onPick({ from: Math.min(a, b), to: Math.max(a, b) });
  return (
    <div className="flex items-center gap-2">
      <label className="flex items-center gap-2">
        <span className="text-soft">{text.from}</span>
        <Select
          value={from}
          aria-label={text.fromLabel}
          onChange={(event) => pick(Number(event.target.value), to)}
          className={`${inputClass} w-28 max-w-full`}
        >
          {numbers.map((number) => (
            <option key={number} value={number} disabled={number === to}>
              {number === newest ? text.current(number) : number}
            </option>
          ))}
          <option value={0}>{text.nothing}</option>
        </Select>
      </label>
      <label className="flex items-center gap-2">
        <span className="text-soft">{text.to}</span>
        <Select
          value={to}
          aria-label={text.toLabel}
          onChange={(event) => pick(from, Number(event.target.value))}
          className={`${inputClass} w-28 max-w-full`}
        >
          {numbers.map((number) => (
            <option key={number} value={number} disabled={number === from}>
              {number === newest ? text.current(number) : number}
            </option>
          ))}
        </Select>
      </label>
    </div>
  );
}
