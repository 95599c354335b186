"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

/** Something said in a corner. */
export interface Message {
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
const toastPanel = lazyImport(async () => (await import("./toast-panel")).ToastPanel);
let last = 0;

/** Says in a corner what was done or not; screen readers hear it. */
export function useToasts(): Say {
  const say = useContext(Context);
  if (!say) throw new Error("useToasts is for what is below ToastProvider");
  return say;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([]);
  const Panel = useLazyImport(toastPanel);
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
      {children}
      {Panel && messages.length > 0 && <Panel messages={messages} onClose={remove} />}
    </Context>
  );
}
