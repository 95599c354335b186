"use client";

import { CircleHelp } from "lucide-react";
import { Popover } from "@/components/ui/popover";
import { glossaryTerms, type TermName, termHint as text } from "./messages/glossary";

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
  const { term, meaning } = glossaryTerms[name];
  const label = text.label(term);
  return (
    <Popover
      label={label}
      trigger={
        <button
          type="button"
          data-hint
          aria-label={label}
          title={forInput ? text.withShortcut(label) : label}
          tabIndex={forInput ? -1 : undefined}
          className="screen-only text-soft hover:text-ink -my-1 inline-grid size-6 shrink-0 place-items-center rounded-md align-middle"
        >
          <CircleHelp aria-hidden className="size-3.5" />
        </button>
      }
    >
      <p className="font-medium">{term}</p>
      <p className="mt-0.5">{meaning}</p>
    </Popover>
  );
}
