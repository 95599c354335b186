"use client";

import { TextField } from "./field";
import { field as text } from "./messages/page";

interface ConfirmFieldProps {
  /** Names the action, such as `ROLL BACK`. */
  phrase: string;
  value: string;
  onChange: (value: string) => void;
}

/** Renders a field in which the user types the name of a dangerous action to confirm it. */
export function ConfirmField({ phrase, value, onChange }: ConfirmFieldProps) {
  return (
    <TextField
      label={text.confirm(phrase)}
      required
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      className="max-w-56"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Returns whether the text typed into a `ConfirmField` is the phrase, in upper or lower case. */
export function isConfirmed(typed: string, phrase: string): boolean {
  return typed.trim().toUpperCase() === phrase;
}
