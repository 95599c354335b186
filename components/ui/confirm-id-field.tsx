"use client";

import { TextField } from "./field";

interface ConfirmIdFieldProps {
  id: number;
  value: string;
  onChange: (value: string) => void;
}

/** Renders a field in which the user types an ID to confirm a dangerous action. */
export function ConfirmIdField({ id, value, onChange }: ConfirmIdFieldProps) {
  return (
    <TextField
      label={`Type ${id} to confirm`}
      required
      inputMode="numeric"
      autoComplete="off"
      className="max-w-56"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Returns whether the text typed into a `ConfirmIdField` is the ID. */
export function isConfirmed(typed: string, id: number): boolean {
  return typed.trim() === String(id);
}
