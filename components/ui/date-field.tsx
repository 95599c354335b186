"use client";

import { CalendarDays } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { readDate } from "@/lib/platform/typed-date";
import { IconButton } from "./button";
import { Input } from "./controls";
import { Field, type FieldOptions, inputClass } from "./field";
import { lazyImport, useLazyImport } from "./lazy-with-retry";
import { field as text } from "./messages/page";

/** The rules for dates, which load with the first `DateField`. */
export const typedDates = lazyImport(() => import("@/lib/platform/typed-date"));
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

interface DateFieldProps extends FieldOptions {
  name?: string;
  /** `YYYY-MM-DD`, or the text as typed if it isn't a date. */
  value: string;
  /** Called with the text while the user types, and with `YYYY-MM-DD` when the user leaves the field or picks a day. */
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** The first and last day that the calendar offers. */
  min?: string | undefined;
  max?: string | undefined;
  /** Whether a two-digit year is in the past. */
  isBirthDate?: boolean;
  autoFocus?: boolean;
}

/**
 * Renders the input for a date: typed in any usual form, or picked from the browser's calendar. When the user leaves it, a date is
 * shown as `05/17/1980`, and other text gets an error.
 */
export function DateField(props: DateFieldProps) {
  const {
    name,
    value,
    onChange,
    onBlur,
    min,
    max = "9999-12-31",
    isBirthDate = false,
    autoFocus,
    error,
    ...field
  } = props;
  // Loads the rules before the user leaves the field.
  useLazyImport(typedDates);
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string>();
  const [seen, setSeen] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  // Forms without their own validation are not submitted while an input has a validity message.
  useEffect(() => input.current?.setCustomValidity(problem ?? ""), [problem]);
  if (value !== seen) {
    setSeen(value);
    // Another value came from outside, such as a reset of the form.
    if (value !== typed) {
      setTyped(null);
      setProblem(undefined);
    }
  }
  const change = (next: string) => {
    setProblem(undefined);
    onChange(next);
  };
  /** Normalizes what was typed. Leaves a stored value alone until it is edited. */
  const settle = () => {
    if (typed === null) return;
    typedDates.whenLoaded(({ readBirthDate, readDate }) => {
      // The text may have changed while the code was loading.
      if (input.current?.value !== typed) return;
      const read = isBirthDate ? readBirthDate : readDate;
      const reading = readTyped(typed, read);
      if ("problem" in reading) return setProblem(reading.problem);
      setTyped(null);
      change(reading.value);
    });
  };
  return (
    <Field {...field} error={problem ?? error}>
      {(fieldProps) => (
        <div className="relative">
          <Input
            {...fieldProps}
            ref={input}
            name={name}
            autoFocus={autoFocus}
            value={typed ?? formatUsDate(value)}
            placeholder={text.datePlaceholder}
            autoComplete="off"
            spellCheck={false}
            maxLength={50}
            className={`${inputClass} pr-9`}
            onChange={(event) => {
              setTyped(event.target.value);
              change(event.target.value);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") settle();
            }}
            onBlur={() => {
              settle();
              onBlur?.();
            }}
          />
          <Input
            ref={picker}
            type="date"
            aria-hidden
            tabIndex={-1}
            min={min}
            max={max}
            value={ISO_DATE.test(value) ? value : ""}
            className="pointer-events-none absolute right-0 bottom-0 size-8 opacity-0"
            onChange={(event) => {
              setTyped(null);
              change(event.target.value);
            }}
          />
          <IconButton
            label={text.openCalendar}
            aria-describedby={`${fieldProps.id}-label`}
            className="screen-only absolute top-0 right-0"
            onClick={() => picker.current?.showPicker()}
          >
            <CalendarDays aria-hidden className="size-4" />
          </IconButton>
        </div>
      )}
    </Field>
  );
}

/** Reads the text of a `DateField`, which may be empty. */
export function readTyped(text: string, read: typeof readDate): ReturnType<typeof readDate> {
  return text.trim() === "" ? { value: "" } : read(text, new Date().toISOString().slice(0, 10));
}

/** Formats `1980-05-17` as `05/17/1980`. Returns other text unchanged. */
function formatUsDate(value: string): string {
  const [, year, month, day] = ISO_DATE.exec(value) ?? [];
  return year ? `${month}/${day}/${year}` : value;
}

/** Returns whether the value of a `DateField` is a date or empty, not text that the user is still typing. */
export function isDateOrEmpty(value: string): boolean {
  if (value === "") return true;
  const time = ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
