"use client";

import { ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { classNames } from "@/components/ui/class-names";
import { Field, inputClass } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";

export interface Choice {
  value: string;
  label: string;
  /** Beside the label, softer. */
  hint?: string | undefined;
}

export interface SearchSelectProps {
  /** Of its button, by which a summary of errors leads here. */
  name?: string;
  label: string;
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  className?: string;
  disabled?: boolean;
  /** What is chosen, as it is shown; empty for nothing. */
  shown: string;
  /** The choice among `choices` that is the present one. */
  value: string | null;
  placeholder: string;
  search: string;
  onSearch: (text: string) => void;
  /** undefined while they are on their way. */
  choices: readonly Choice[] | undefined;
  /** Whether they answer an earlier search: they are shown until the others come, and none of them is picked. */
  isStale?: boolean;
  /** Why there are none, where that is no answer to the search. */
  problem?: string | undefined;
  onPick: (value: string) => void;
  /** What was typed is taken as it is. */
  onFreeText?: (text: string) => void;
  onClear: () => void;
  onBlur?: () => void;
}

const searchSelectPanel = lazyImport(async () => (await import("./search-select-panel")).SearchSelectPanel);

/**
 * What the search is after a key on the field itself; null where the key is no text. Until the panel has the focus (it may
 * still be on its way) the field takes what is typed for it: a space is a part of that, and not a press of the button.
 */
function typedText({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, before: string | null): string | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "Backspace" && before !== null) return before.slice(0, -1);
  if (key.length !== 1 || (key === " " && before === null)) return null;
  return (before ?? "") + key;
}

/** One of many, found by typing. Typing on the closed field opens it; arrow keys move, Enter picks, Escape closes. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, help, error, required, className, disabled, shown, placeholder, search, onSearch, onBlur } = props;
  const [open, setOpen] = useState(false);
  const Panel = useLazyImport(searchSelectPanel);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const field = { label, help, error, ...(required ? { required } : {}), ...(className ? { className } : {}) };
  const change = (next: boolean, text = "") => {
    setOpen(next);
    onSearch(text);
    if (!next) onBlur?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const typed = typedText(event, open ? search : null);
    if (typed === null && event.key !== "ArrowDown") return;
    event.preventDefault();
    change(true, typed ?? search);
  };
  return (
    <Field {...field}>
      {({ required: isRequired, ...tied }) => (
        <>
          <button
            {...tied}
            ref={button}
            type="button"
            name={props.name}
            role="combobox"
            aria-haspopup="dialog"
            aria-required={isRequired || undefined}
            aria-expanded={open}
            aria-controls={open ? panelId : undefined}
            disabled={disabled}
            onClick={() => change(!open)}
            onKeyDown={onKeyDown}
            className={classNames(inputClass, "flex items-center gap-2 text-left")}
          >
            <span className={classNames("min-w-0 flex-1 truncate", !shown && "text-soft")}>{shown || placeholder}</span>
            <ChevronsUpDown aria-hidden className="text-soft size-3.5 shrink-0" />
          </button>
          {open && Panel && <Panel {...props} id={panelId} anchor={button} onClose={() => change(false)} />}
        </>
      )}
    </Field>
  );
}
