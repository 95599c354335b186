"use client";

import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { IconButton } from "./button";
import { classNames } from "./class-names";
import type { DialogProps } from "./dialog";
import { focusFirstButton, keepFocus, useFocusReturn } from "./focus-return";
import { dialog as text } from "./messages/dialogs";
import { useEscape } from "./use-escape";

// Radix warns about a dialog without a description unless this is given explicitly.
const NO_DESCRIPTION = { "aria-describedby": undefined };

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
          ref={focusFirstButton}
          {...(description ? null : NO_DESCRIPTION)}
          className={classNames(
            "bg-raised border-line fixed top-1/2 left-1/2 z-50 flex max-h-[92dvh] w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-md border shadow-xl",
            wide ? "max-w-4xl" : "max-w-lg",
          )}
        >
          <header className="border-line flex items-start gap-3 border-b px-4 py-3">
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
          {children && <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>}
          {footer && (
            <footer className="border-line flex flex-wrap justify-end gap-2 border-t px-4 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
