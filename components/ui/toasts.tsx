"use client";

import { X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { Button, IconButton } from "./button";
import { classNames } from "./class-names";

interface Message {
  id: number;
  text: string;
  bad: boolean;
  undo?: (() => void) | undefined;
}

interface Say {
  /** Something was done; `undo` takes it back. */
  done: (text: string, undo?: () => void) => void;
  /** Something was not done, and why. */
  failed: (text: string) => void;
}

const Context = createContext<Say | null>(null);
const SHOWN_MS = 6_000;
const UNDO_MS = 12_000;
let last = 0;

/** Says in a corner what was done or not; screen readers hear it. */
export function useToasts(): Say {
  const say = useContext(Context);
  if (!say) throw new Error("useToasts is for what is below ToastProvider");
  return say;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([]);
  const add = useCallback((message: Omit<Message, "id">) => {
    setMessages((before) => [...before.slice(-2), { ...message, id: ++last }]);
  }, []);
  const say = useMemo<Say>(
    () => ({ done: (text, undo) => add({ text, bad: false, undo }), failed: (text) => add({ text, bad: true }) }),
    [add],
  );
  const remove = (id: number) => setMessages((before) => before.filter((message) => message.id !== id));
  return (
    <Context value={say}>
      <Radix.Provider label="Notice">
        {children}
        {messages.map(({ id, text, bad, undo }) => (
          <Radix.Root
            key={id}
            type={bad ? "foreground" : "background"}
            duration={bad ? 60_000 : undo ? UNDO_MS : SHOWN_MS}
            onOpenChange={(open) => !open && remove(id)}
            className={classNames(
              "bg-raised flex items-start gap-2 rounded-md border px-3 py-2 shadow-lg",
              bad ? "border-bad" : "border-line",
            )}
          >
            <Radix.Description className="min-w-0 flex-1 py-1.5">{text}</Radix.Description>
            {undo && (
              <Radix.Action asChild altText="Undo">
                <Button kind="plain" onClick={undo}>
                  Undo
                </Button>
              </Radix.Action>
            )}
            <Radix.Close asChild>
              <IconButton label="Dismiss">
                <X aria-hidden className="size-4" />
              </IconButton>
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className="screen-only fixed right-3 bottom-16 z-60 flex w-96 max-w-[calc(100vw-24px)] flex-col gap-2 min-[900px]:bottom-3" />
      </Radix.Provider>
    </Context>
  );
}
