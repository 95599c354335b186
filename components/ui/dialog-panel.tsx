"use client";

import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { IconButton } from "./button";
import { classNames } from "./class-names";
import type { DialogProps } from "./dialog";
import { keepFocus, useFocusReturn } from "./focus-return";
import { dialog as text } from "./messages/dialogs";
import { useEscape } from "./use-escape";

// Radix warns about a dialog without a description unless this is given explicitly.
const NO_DESCRIPTION = { "aria-describedby": undefined };

/** What gets the focus, best first: a field to fill in, an action that opts in, Cancel, or Close. */
const FIRST_FOCUS = [
  "form :is(input, select, textarea, [role=combobox]):enabled:not([readonly], fieldset:has(:checked) [type=radio]:not(:checked))",
  "[data-first-focus]:enabled",
  "footer button:enabled",
  "button",
];

/** Focuses an element of a dialog before it is painted, unless an input in it has focus. */
function focusFirst(content: HTMLElement | null): void {
  if (!content || content.contains(document.activeElement)) return;
  const [first] = FIRST_FOCUS.flatMap((selector) => content.querySelector<HTMLElement>(selector) ?? []);
  first?.focus();
}

export function DialogPanel({
  onClose,
  title,
  description,
  children,
  footer,
  wide = false,
}: Omit<DialogProps, "open">) {
  useFocusReturn();
  useEscape(onClose);
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          onCloseAutoFocus={keepFocus}
          ref={focusFirst}
          {...(description ? null : NO_DESCRIPTION)}
          className={classNames(
            "bg-raised border-line fixed top-1/2 left-1/2 z-50 flex max-h-[92dvh] w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-md border shadow-xl",
            wide ? "max-w-4xl" : "max-w-lg",
          )}
        >
          <header
            className={classNames(
              "border-line flex gap-3 border-b px-4 py-3",
              description ? "items-start" : "items-center",
            )}
          >
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="text-soft mt-0.5">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label={text.close}>
                <X aria-hidden className="size-4" />
              </IconButton>
            </Radix.Close>
          </header>
          {children && (
            <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4 has-[>form:empty]:hidden">{children}</div>
          )}
          {footer && (
            <footer className="border-line -mt-px flex flex-wrap justify-end gap-2 border-t px-4 py-3 max-[420px]:flex-col-reverse">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
