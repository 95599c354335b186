"use client";

import { ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { classNames } from "@/components/ui/class-names";
import { Field, inputClass } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";

export interface Choice {
  value: string;
  label: string;
  /** Shown beside the label. */
  hint?: string | undefined;
}

export interface SearchSelectProps {
  /** The button's name, which the error summary uses to find it. */
  name?: string;
  label: string;
  /** Explains the label, as that of a `Field`. */
  hint?: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  className?: string;
  disabled?: boolean;
  autoFocus?: boolean;
  /** The text of the selected choice; empty for none. */
  shown: string;
  /** The value of the selected choice. */
  value: string | null;
  placeholder: string;
  search: string;
  onSearch: (text: string) => void;
  /** undefined while the choices load. */
  choices: readonly Choice[] | undefined;
  /**
   * Whether the choices are the result of an earlier search. They are shown until the current ones arrive. Enter waits for
   * those.
   */
  isStale?: boolean;
  /** Why the choices could not be loaded. */
  problem?: string | undefined;
  onPick: (value: string) => void;
  /** Lets the user keep the typed text. */
  onFreeText?: (text: string) => void;
  onClear: () => void;
  onBlur?: () => void;
}

const searchSelectPanel = lazyImport(async () => (await import("./search-select-panel")).SearchSelectPanel);

/**
 * Returns the search text after a key press on the field; null if the key is not text. The field collects the text
 * because the panel may still be loading. While the panel is open, a space is part of the text and does not press the button.
 */
function typedText({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, before: string | null): string | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "Backspace" && before !== null) return before.slice(0, -1);
  if (key.length !== 1 || (key === " " && before === null)) return null;
  return (before ?? "") + key;
}

/** Renders a field for one of many choices, with a search. Typing opens the list. Arrow keys move, Enter selects, and Escape closes it. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, hint, help, error, required, className, disabled, shown, placeholder, search, onSearch, onBlur } =
    props;
  const [open, setOpen] = useState(false);
  const Panel = useLazyImport(searchSelectPanel);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
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
    <Field label={label} hint={hint} help={help} error={error} required={required} className={className}>
      {({ required: isRequired, ...fieldProps }) => (
        <>
          <button
            {...fieldProps}
            ref={button}
            type="button"
            name={props.name}
            role="combobox"
            aria-haspopup="dialog"
            aria-required={isRequired || undefined}
            aria-expanded={open}
            aria-controls={open ? panelId : undefined}
            disabled={disabled}
            // biome-ignore lint/a11y/noAutofocus: the button that showed this field has disappeared.
            autoFocus={props.autoFocus}
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
