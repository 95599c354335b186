"use client";

import { type ComponentProps, type KeyboardEvent, type ReactNode, useId } from "react";
import { classNames } from "./class-names";
import { Input, Select, TextArea } from "./controls";
import { field as text } from "./messages/page";

export const inputClass =
  "w-full rounded-md border border-edge bg-raised px-2.5 h-8 placeholder:text-soft disabled:bg-sunken disabled:text-soft aria-invalid:border-bad [&:is(input,textarea):read-only]:bg-sunken";

/** Attributes that tie an input to its label, help and error. */
interface InputAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
  "aria-keyshortcuts": string | undefined;
  required: boolean;
}

interface FieldProps {
  label: ReactNode;
  /** A button with `data-hint` beside the label that explains it. F1 in the input presses it. */
  hint?: ReactNode;
  /** Shown below the input. */
  help?: ReactNode;
  error?: string | undefined;
  /** A problem that does not prevent saving. */
  warning?: string | undefined;
  required?: boolean | undefined;
  className?: string | undefined;
  children: (input: InputAttributes) => ReactNode;
}

/** Renders an input with its label above, and error, warning and help below. */
export function Field({ label, hint, help, error, warning, required = false, className, children }: FieldProps) {
  const id = useId();
  const helpId = help ? `${id}-help` : undefined;
  const errorId = error ? `${id}-error` : undefined;
  const warningId = warning ? `${id}-warning` : undefined;
  const describedBy = [errorId, warningId, helpId].filter(Boolean).join(" ") || undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles a key of the input inside.
    <div className={classNames("flex min-w-0 flex-col gap-1", className)} onKeyDown={hint ? pressHint : undefined}>
      <div className="flex items-center gap-0.5">
        <label id={`${id}-label`} htmlFor={id} className="font-medium">
          {label}
          {required && (
            <span className="text-soft font-normal" aria-hidden>
              {" "}
              {text.required}
            </span>
          )}
        </label>
        {hint}
      </div>
      {children({
        id,
        "aria-describedby": describedBy,
        "aria-invalid": error ? true : undefined,
        "aria-keyshortcuts": hint ? HINT_KEY : undefined,
        required,
      })}
      {error && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
      {warning && (
        <p id={warningId} className="text-warn text-sm">
          {warning}
        </p>
      )}
      {help && (
        <p id={helpId} className="text-soft text-sm">
          {help}
        </p>
      )}
    </div>
  );
}

const HINT_KEY = "F1";

function pressHint(event: KeyboardEvent<HTMLDivElement>): void {
  if (event.key !== HINT_KEY) return;
  // The browser would open its own help.
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>("[data-hint]")?.click();
}

export type FieldOptions = Omit<FieldProps, "children">;

/** Separates the props of the field from those of its input. */
function splitProps<P extends FieldOptions>({ label, hint, help, error, warning, required, className, ...input }: P) {
  return { field: { label, hint, help, error, warning, required, className }, input };
}

/** Renders a one-line text input. */
export function TextField(props: FieldOptions & Omit<ComponentProps<"input">, "children">) {
  const { field, input } = splitProps(props);
  return <Field {...field}>{(fieldProps) => <Input {...input} {...fieldProps} className={inputClass} />}</Field>;
}

/** Renders a text input with several lines. */
export function TextAreaField(props: FieldOptions & Omit<ComponentProps<"textarea">, "children">) {
  const { field, input } = splitProps(props);
  return (
    <Field {...field}>
      {(fieldProps) => (
        <TextArea rows={3} {...input} {...fieldProps} className={classNames(inputClass, "h-auto py-1.5")} />
      )}
    </Field>
  );
}

/** Renders a native select. Its options are the children. */
export function SelectField(props: FieldOptions & ComponentProps<"select">) {
  const { field, input } = splitProps(props);
  return <Field {...field}>{(fieldProps) => <Select {...input} {...fieldProps} className={inputClass} />}</Field>;
}

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  help?: string;
  required?: boolean;
  error?: string | undefined;
}

/** Asks for the reason of a change, which the history shows. */
export function ReasonField({ onChange, help = text.reasonHelp, ...rest }: ReasonFieldProps) {
  return (
    <TextField
      label={text.reason}
      help={help}
      maxLength={500}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
