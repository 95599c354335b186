"use client";

import { Command } from "cmdk";
import { Check, ChevronsUpDown } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { classNames } from "@/components/ui/class-names";
import { Field, inputLook } from "@/components/ui/field";

export interface Choice {
  value: string;
  label: string;
  /** Beside the label, softer. */
  hint?: string | undefined;
}

interface SearchSelectProps {
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
  /** Why there are none, where that is no answer to the search. */
  problem?: string | undefined;
  onPick: (value: string) => void;
  /** What was typed is taken as it is. */
  onFreeText?: (text: string) => void;
  onClear: () => void;
  onBlur?: () => void;
}

const ITEM =
  "data-[selected=true]:bg-accent-soft flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 py-1 outline-none";

/** One of many, found by typing. Typing on the closed field opens it; arrow keys move, Enter picks, Escape closes. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, help, error, required, className, disabled, shown, placeholder, search, onSearch, onBlur } = props;
  const [open, setOpen] = useState(false);
  const field = { label, help, error, ...(required ? { required } : {}), ...(className ? { className } : {}) };
  const change = (next: boolean, text = "") => {
    setOpen(next);
    onSearch(text);
    if (!next) onBlur?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isText = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isText && event.key !== "ArrowDown") return;
    event.preventDefault();
    change(true, isText ? event.key : "");
  };
  return (
    <Field {...field}>
      {({ required: isRequired, ...tied }) => (
        <Popover.Root open={open} onOpenChange={(next) => change(next)}>
          <Popover.Trigger asChild>
            <button
              {...tied}
              type="button"
              role="combobox"
              aria-required={isRequired || undefined}
              aria-expanded={open}
              disabled={disabled}
              onKeyDown={onKeyDown}
              className={classNames(inputLook, "flex items-center gap-2 text-left")}
            >
              <span className={classNames("min-w-0 flex-1 truncate", !shown && "text-soft")}>
                {shown || placeholder}
              </span>
              <ChevronsUpDown aria-hidden className="text-soft size-3.5 shrink-0" />
            </button>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content
              aria-label={label}
              align="start"
              sideOffset={4}
              collisionPadding={8}
              onOpenAutoFocus={(event) => {
                // What opened it by being typed stays, and is typed on.
                event.preventDefault();
                const input = (event.currentTarget as HTMLElement).querySelector("input");
                input?.focus();
                input?.setSelectionRange(input.value.length, input.value.length);
              }}
              className="bg-raised border-line z-50 w-[max(var(--radix-popover-trigger-width),240px)] max-w-[calc(100vw-16px)] rounded-md border shadow-lg"
            >
              <Choices
                {...props}
                search={search}
                pick={(act) => {
                  act();
                  change(false);
                }}
              />
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  );
}

function Choices(props: SearchSelectProps & { pick: (act: () => void) => void }) {
  const { label, shown, value, search, onSearch, choices, problem, onPick, onFreeText, onClear, pick } = props;
  const text = search.trim();
  const isListed = choices?.some((choice) => choice.label.toLowerCase() === text.toLowerCase()) ?? false;
  return (
    <Command shouldFilter={false} label={`Search ${label.toLowerCase()}`} loop>
      <Command.Input
        value={search}
        onValueChange={onSearch}
        placeholder="Type to search"
        className="border-line placeholder:text-soft h-9 w-full border-b bg-transparent px-2.5 outline-none"
      />
      <Command.List label={label} className="max-h-64 overflow-y-auto p-1">
        {choices?.map((choice) => (
          <Command.Item
            key={choice.value}
            value={`choice ${choice.value}`}
            onSelect={() => pick(() => onPick(choice.value))}
            className={ITEM}
          >
            <Check aria-hidden className={classNames("size-3.5 shrink-0", choice.value !== value && "invisible")} />
            <span className="min-w-0 flex-1">{choice.label}</span>
            {choice.hint && <span className="text-soft max-w-[50%] truncate text-sm">{choice.hint}</span>}
          </Command.Item>
        ))}
        {onFreeText && text !== "" && !isListed && choices && (
          <Command.Item value="free text" onSelect={() => pick(() => onFreeText(text))} className={ITEM}>
            <span className="size-3.5 shrink-0" />
            Use “{text}” as typed
          </Command.Item>
        )}
        {shown !== "" && text === "" && choices && (
          <Command.Item value="clear" onSelect={() => pick(onClear)} className={classNames(ITEM, "text-soft")}>
            <span className="size-3.5 shrink-0" />
            Clear
          </Command.Item>
        )}
        {choices === undefined ? (
          <p className="text-soft px-2 py-3">{problem ?? "Searching…"}</p>
        ) : (
          <Command.Empty className="text-soft px-2 py-3">
            {text === "" ? "None known. Type a name." : "Nothing by this name."}
          </Command.Empty>
        )}
      </Command.List>
    </Command>
  );
}
