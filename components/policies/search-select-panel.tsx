"use client";

import { Command } from "cmdk";
import { Check } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";
import { classNames } from "@/components/ui/class-names";
import { useEscape } from "@/components/ui/use-escape";
import { searchSelect as text } from "./messages/search-select";
import type { SearchSelectProps } from "./search-select";

const ITEM =
  "data-[selected=true]:bg-accent-soft flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 py-1 outline-none";

/** Marks no choice. If it were empty, cmdk would mark the first. */
const UNMARKED = "none";

interface PanelProps extends SearchSelectProps {
  id: string;
  /** The field's button. */
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

/** Shows the search box and choices of an open search select. */
export function SearchSelectPanel({ id, anchor, onClose, ...props }: PanelProps) {
  useEscape(onClose);
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Portal>
        <Popover.Content
          id={id}
          aria-label={props.label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(event) => {
            // Put the cursor after the text that opened the panel.
            event.preventDefault();
            const content = event.currentTarget instanceof Element ? event.currentTarget : null;
            const input = content?.querySelector("input");
            input?.focus();
            input?.setSelectionRange(input.value.length, input.value.length);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // If the user has moved the focus elsewhere, leave it there.
            if (document.activeElement === document.body) anchor.current?.focus();
          }}
          onInteractOutside={(event) => {
            // The button itself closes the panel.
            if (event.target instanceof Node && anchor.current?.contains(event.target)) event.preventDefault();
          }}
          className="bg-raised border-line z-50 w-[max(var(--radix-popper-anchor-width),320px)] max-w-[calc(100vw-16px)] rounded-md border shadow-lg"
        >
          <Choices
            {...props}
            pick={(action) => {
              action();
              onClose();
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Choices(props: SearchSelectProps & { pick: (action: () => void) => void }) {
  const { label, shown, value, search, onSearch, choices, isStale, problem } = props;
  const { onPick, onFreeText, onClear, pick } = props;
  const typed = search.trim();
  const isListed = choices?.some((choice) => choice.label.toLowerCase() === typed.toLowerCase()) ?? false;
  const offersText = onFreeText && typed !== "" && !isListed && choices && !isStale;
  const [marked, setMarked] = useState(UNMARKED);
  // Without a search, Enter keeps the current value.
  const first = typed === "" ? choices?.find((choice) => choice.value === value) : choices?.[0];
  const best = first ? `choice ${first.value}` : offersText ? "free text" : UNMARKED;
  // Mark the best choice for Enter when the choices change.
  useEffect(() => setMarked(best), [best]);
  const isWaiting = isStale || (choices === undefined && problem === undefined);
  const [isEntered, setEntered] = useState(false);
  // Enter selects the best choice, which may not have arrived yet. One that the user moved to is selected at once.
  const holdEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isWaiting || marked !== best) return;
    event.preventDefault();
    setEntered(true);
  };
  useEffect(() => {
    if (!isEntered || isWaiting) return;
    setEntered(false);
    if (first) pick(() => onPick(first.value));
    else if (offersText) pick(() => onFreeText(typed));
  }, [isEntered, isWaiting, first, offersText, typed, pick, onPick, onFreeText]);
  return (
    <Command
      shouldFilter={false}
      label={text.search(label)}
      loop
      value={marked}
      onValueChange={setMarked}
      onKeyDown={holdEnter}
    >
      <Command.Input
        value={search}
        onValueChange={(next) => {
          setEntered(false);
          onSearch(next);
        }}
        placeholder={text.placeholder}
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
        {offersText && (
          <Command.Item value="free text" onSelect={() => pick(() => onFreeText(typed))} className={ITEM}>
            <span className="size-3.5 shrink-0" />
            {text.keepTyped(typed)}
          </Command.Item>
        )}
        {shown !== "" && typed === "" && choices && (
          <Command.Item
            value="clear"
            onSelect={() => pick(onClear)}
            // The line is a border, because a listbox can't contain a separator.
            className={classNames(ITEM, "border-line text-soft mt-1 rounded-t-none border-t")}
          >
            <span className="size-3.5 shrink-0" />
            {text.clear(label)}
          </Command.Item>
        )}
        {choices === undefined ? (
          <p className="text-soft px-2 py-3">{problem ?? text.searching}</p>
        ) : (
          <Command.Empty className="text-soft px-2 py-3">
            {isStale ? text.searching : typed === "" ? text.emptyList : text.noMatches}
          </Command.Empty>
        )}
      </Command.List>
    </Command>
  );
}
