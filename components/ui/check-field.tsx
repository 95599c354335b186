"use client";

import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names";
import { Input } from "./controls";

type ChoiceProps = Omit<ComponentProps<"input">, "type"> & { label: ReactNode };

/** Renders a checkbox with a label, and help text if given. */
export function CheckField({ label, help, className, ...input }: ChoiceProps & { help?: ReactNode }) {
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

/** Renders a radio button with a label and help text. */
export function RadioField({ label, help, ...input }: ChoiceProps & { help: ReactNode }) {
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
