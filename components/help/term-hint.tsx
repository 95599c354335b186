"use client";

import { CircleHelp } from "lucide-react";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Popover } from "@/components/ui/popover";
import { type TermName, terms, termHint as text } from "./messages/terms";

/** Loads after the page, because pages with many fields must stay small. */
const TermMeaning = lazyWithRetry(async () => (await import("./term-meaning")).TermMeaning);

interface TermHintProps {
  name: TermName;
  /**
   * Whether it belongs to an input. Tab then skips it, so that it doesn't slow down typing, and F1 in the input opens it
   * (components/ui/field.tsx).
   */
  forInput?: boolean;
}

/** Shows a question mark that opens the definition of a term. */
export function TermHint({ name, forInput = false }: TermHintProps) {
  const term = terms[name];
  const label = text.label(term);
  return (
    <Popover
      label={label}
      trigger={
        <button
          type="button"
          data-hint
          title={forInput ? text.withShortcut(label) : label}
          tabIndex={forInput ? -1 : undefined}
          className="screen-only text-soft hover:text-ink -my-1 inline-grid size-6 shrink-0 place-items-center rounded-md align-middle"
        >
          <CircleHelp aria-hidden className="size-3.5" />
          <span className="sr-only">{label}</span>
        </button>
      }
    >
      <p className="font-medium">{term}</p>
      <TermMeaning name={name} />
    </Popover>
  );
}
