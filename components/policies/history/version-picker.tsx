"use client";

import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { useReady } from "@/components/ui/use-ready";
import { historyControls as text } from "../messages/history";

interface VersionPickerProps {
  newest: number;
  from: number;
  to: number;
  onPick: (versions: { from: number; to: number }) => void;
}

/** Selects the two versions to compare. */
export function VersionPicker({ newest, from, to, onPick }: VersionPickerProps) {
  const pick = (a: number, b: number) => onPick({ from: Math.min(a, b), to: Math.max(a, b) });
  return (
    <div className="flex items-center gap-2">
      <VersionSelect
        shown={text.from}
        label={text.fromLabel}
        newest={newest}
        value={from}
        other={to}
        hasNothing
        onSelect={(number) => pick(number, to)}
      />
      <VersionSelect
        shown={text.to}
        label={text.toLabel}
        newest={newest}
        value={to}
        other={from}
        onSelect={(number) => pick(from, number)}
      />
    </div>
  );
}

interface VersionSelectProps {
  /** The start of the label, which is visible. */
  shown: string;
  label: string;
  newest: number;
  value: number;
  /** The version that it is compared with, which can't be selected. */
  other: number;
  /** Whether it also offers the time before the first version. */
  hasNothing?: boolean;
  onSelect: (version: number) => void;
}

/** Offers all versions in the browser. The server sends only the selected one: a policy can have thousands. */
function VersionSelect({ shown, label, newest, value, other, hasNothing = false, onSelect }: VersionSelectProps) {
  const isReady = useReady();
  const numbers = isReady ? Array.from({ length: newest }, (_, index) => newest - index) : value > 0 ? [value] : [];
  return (
    <label className="flex items-center gap-2">
      <span className="text-soft">{shown}</span>
      <Select
        value={value}
        aria-label={label}
        onChange={(event) => onSelect(Number(event.target.value))}
        className={`${inputClass} w-28 max-w-full`}
      >
        {numbers.map((number) => (
          <option key={number} value={number} disabled={number === other}>
            {number === newest ? text.current(number) : number}
          </option>
        ))}
        {hasNothing && <option value={0}>{text.nothing}</option>}
      </Select>
    </label>
  );
}
