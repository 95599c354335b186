"use client";

import { useRef, useState } from "react";
import { Button } from "./button";
import { Select } from "./controls";
import { DateField, isDateOrEmpty, readTyped, typedDates } from "./date-field";
import { Dialog } from "./dialog";
import { inputClass } from "./field";
import { dialog } from "./messages/dialogs";
import { timeFilter as text } from "./messages/lists";
import { useZone } from "./time";
import { dayOf, startOfDay } from "./zone-time";

interface TimeRange {
  /** ISO 8601; null for no limit. */
  from: string | null;
  to: string | null;
}

const HOUR_MS = 3_600_000;
const PRESETS = [
  { label: text.lastHour, hours: 1 },
  { label: text.lastDay, hours: 24 },
  { label: text.lastWeek, hours: 168 },
];

/** Filters by time: the last hour, 24 hours or 7 days, or chosen days in the practice's time zone. */
export function TimeFilter({ from, to, onChange }: TimeRange & { onChange: (range: TimeRange) => void }) {
  const [isChoosingDays, setChoosingDays] = useState(false);
  const select = (value: string) => {
    if (value === "any") onChange({ from: null, to: null });
    else if (value === "days") setChoosingDays(true);
    else {
      const start = Math.floor((Date.now() - Number(value) * HOUR_MS) / 60_000) * 60_000;
      onChange({ from: new Date(start).toISOString(), to: null });
    }
  };
  return (
    <>
      <Select
        aria-label={text.label}
        className={`${inputClass} w-auto! max-sm:grow`}
        value={from || to ? "set" : "any"}
        onChange={(event) => select(event.target.value)}
      >
        <option value="any">{text.any}</option>
        {(from || to) && <option value="set">{text.custom}</option>}
        {PRESETS.map(({ label, hours }) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
        <option value="days">{text.choose}</option>
      </Select>
      {isChoosingDays && <DaysDialog from={from} to={to} onChange={onChange} onClose={() => setChoosingDays(false)} />}
    </>
  );
}

function DaysDialog(props: TimeRange & { onChange: (range: TimeRange) => void; onClose: () => void }) {
  const zone = useZone();
  const [first, setFirst] = useState(props.from ? dayOf(props.from, zone) : "");
  // `to` is exclusive: the last day ends just before it.
  const [last, setLast] = useState(props.to ? dayOf(Date.parse(props.to) - 1, zone) : "");
  const areDates = isDateOrEmpty(first) && isDateOrEmpty(last);
  const error = areDates && isReversed(first, last) ? text.reversed : undefined;
  const fields = useRef<HTMLDivElement>(null);
  const apply = () =>
    typedDates.whenLoaded(({ readDate }) => {
      // The dialog may have been closed while the code was loading.
      if (!fields.current) return;
      const start = readTyped(first, readDate);
      const end = readTyped(last, readDate);
      if ("problem" in start || "problem" in end || isReversed(start.value, end.value)) {
        return fields.current.querySelector<HTMLElement>("[aria-invalid]")?.focus();
      }
      props.onChange({
        from: start.value ? startOfDay(start.value, zone) : null,
        to: end.value ? startOfDay(end.value, zone, 1) : null,
      });
      props.onClose();
    });
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={text.title}
      description={text.description(zone.replace("_", " "))}
      footer={
        <>
          <Button onClick={props.onClose}>{dialog.cancel}</Button>
          <Button kind="primary" onClick={apply}>
            {text.submit}
          </Button>
        </>
      }
    >
      <div ref={fields} className="grid gap-4 sm:grid-cols-2">
        <DateField label={text.first} value={first} onChange={setFirst} />
        <DateField label={text.last} value={last} error={error} onChange={setLast} />
      </div>
    </Dialog>
  );
}

function isReversed(first: string, last: string): boolean {
  return first !== "" && last !== "" && last < first;
}
