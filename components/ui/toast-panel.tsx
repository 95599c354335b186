"use client";

import { X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { Button, IconButton } from "./button";
import { classNames } from "./class-names";
import { toast as text } from "./messages/dialogs";
import type { Message } from "./toasts";

const SHOWN_MS = 6_000;
const UNDO_MS = 12_000;
const ERROR_MS = 60_000;

/** Stays above the navigation of a phone, and above a bar with the buttons of a form or list, which it would cover. */
const VIEWPORT =
  "screen-only fixed right-3 bottom-16 z-60 flex w-96 max-w-[calc(100vw-24px)] flex-col gap-2 min-[900px]:bottom-3 [body:has([data-bottom-bar])_&]:bottom-44 min-[900px]:[body:has([data-bottom-bar])_&]:bottom-20";

/** Shows the messages in the corner of the page. */
export function ToastPanel(props: { messages: readonly Message[]; onClose: (id: number) => void }) {
  const { messages, onClose } = props;
  return (
    <Radix.Provider label={text.label}>
      {messages.map(({ id, text: message, isError, undo }) => (
        <Radix.Root
          key={id}
          type={isError ? "foreground" : "background"}
          duration={isError ? ERROR_MS : undo ? UNDO_MS : SHOWN_MS}
          onOpenChange={(open) => !open && onClose(id)}
          className={classNames(
            "bg-raised flex items-start gap-2 rounded-md border px-3 py-2 shadow-lg",
            isError ? "border-bad" : "border-line",
          )}
        >
          <Radix.Description className="min-w-0 flex-1 py-1.5">{message}</Radix.Description>
          {undo && (
            <Radix.Action asChild altText={text.undo}>
              <Button kind="plain" onClick={undo}>
                {text.undo}
              </Button>
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton label={text.dismiss}>
              <X aria-hidden className="size-4" />
            </IconButton>
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className={VIEWPORT} />
    </Radix.Provider>
  );
}
