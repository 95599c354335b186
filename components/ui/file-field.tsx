"use client";

import type { ReactNode } from "react";
import { Input } from "./controls";
import { Field, inputClass } from "./field";

interface FileFieldProps {
  label: string;
  help: ReactNode;
  error: string | undefined;
  required?: boolean;
  /** File types to offer, as for the HTML attribute. */
  accept?: string;
  onFile: (file: File | null) => void;
}

/** Renders a labeled file input. */
export function FileField({ label, help, error, required = false, accept, onFile }: FileFieldProps) {
  return (
    <Field label={label} help={help} error={error} required={required}>
      {(input) => (
        <Input
          {...input}
          type="file"
          accept={accept}
          className={`${inputClass} file:bg-sunken h-auto py-1.5 file:mr-3 file:rounded file:border-0 file:px-2 file:py-1 file:font-medium`}
          onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}
