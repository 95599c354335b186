"use client";

import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names";
import { Input, Select, TextArea } from "./controls";

export const inputClass =
  "w-full rounded-md border border-edge bg-raised px-2.5 h-8 placeholder:text-soft disabled:bg-sunken disabled:text-soft aria-invalid:border-bad [&:is(input,textarea):read-only]:bg-sunken";

interface FieldProps {
  label: ReactNode;
  /** Under the input. */
  help?: ReactNode;
  /** What is wrong with it, in words. */
  error?: string | undefined;
  /** What is wrong with it and does not keep it from being saved. */
  warning?: string | undefined;
  required?: boolean;
  className?: string;
  children: (input: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
    required: boolean;
  }) => ReactNode;
}

/** Label above, help and error under an input; tied together for those who do not see it. */
export function Field({ label, help, error, warning, required = false, className, children }: FieldProps) {
  const id = useId();
  const helpId = help ? `${id}-help` : null;
  const errorId = error ? `${id}-error` : null;
  const warningId = warning ? `${id}-warning` : null;
  const describedBy = [errorId, warningId, helpId].filter(Boolean).join(" ") || undefined;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="font-medium">
        {label}
        {required && (
          <span className="text-soft font-normal" aria-hidden>
            {" "}
            (required)
          </span>
        )}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": error ? true : undefined, required })}
      {error && (
        <p id={errorId ?? undefined} className="text-bad">
          {error}
        </p>
      )}
      {warning && (
        <p id={warningId ?? undefined} className="text-warn text-sm">
          {warning}
        </p>
      )}
      {help && (
        <p id={helpId ?? undefined} className="text-soft text-sm">
          {help}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, "children"> & Omit<ComponentProps<"input">, "children">;

/** A one-line text input with its label. */
export function TextField({ label, help, error, warning, required, className, ...input }: TextFieldProps) {
  const field = { label, help, error, warning, ...(required ? { required } : {}), ...(className ? { className } : {}) };
  return <Field {...field}>{(tied) => <Input {...input} {...tied} className={inputClass} />}</Field>;
}

type TextAreaFieldProps = Omit<FieldProps, "children"> & Omit<ComponentProps<"textarea">, "children">;

/** A text input of several lines with its label. */
export function TextAreaField({ label, help, error, required, className, ...input }: TextAreaFieldProps) {
  const field = { label, help, error, ...(required ? { required } : {}), ...(className ? { className } : {}) };
  return (
    <Field {...field}>
      {(tied) => <TextArea rows={3} {...input} {...tied} className={classNames(inputClass, "h-auto py-1.5")} />}
    </Field>
  );
}

type SelectFieldProps = Omit<FieldProps, "children"> & ComponentProps<"select">;

/** The browser's own select with its label. */
export function SelectField({ label, help, error, required, className, children, ...select }: SelectFieldProps) {
  const field = { label, help, error, ...(required ? { required } : {}), ...(className ? { className } : {}) };
  return (
    <Field {...field}>
      {(tied) => (
        <Select {...select} {...tied} className={inputClass}>
          {children}
        </Select>
      )}
    </Field>
  );
}

/** A box to tick, its label beside it. */
export function CheckField({
  label,
  help,
  className,
  ...input
}: Omit<ComponentProps<"input">, "type"> & { label: ReactNode; help?: ReactNode }) {
  const id = useId();
  return (
    <div className={classNames("flex items-start gap-2", className)}>
      <Input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="inline-flex min-h-6 items-center">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-soft text-sm">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}

/** One of a few ways, of which one holds; its name and what it means beside it. */
export function RadioField({
  label,
  help,
  ...input
}: Omit<ComponentProps<"input">, "type"> & { label: ReactNode; help: ReactNode }) {
  return (
    <label className="flex items-start gap-2">
      <Input {...input} type="radio" className="accent-accent mt-0.5 size-4 shrink-0" />
      <span>
        {label}
        <span className="text-soft block text-sm">{help}</span>
      </span>
    </label>
  );
}

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  /** Where it is kept. */
  help?: string;
  required?: boolean;
  error?: string | undefined;
}

/** Why something is done, as it will stand in the history. */
export function ReasonField({ onChange, help = "Saved in the version history. Optional.", ...rest }: ReasonFieldProps) {
  return (
    <TextField
      label="Reason"
      help={help}
      maxLength={500}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
