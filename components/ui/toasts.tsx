"use client";

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

export interface Message {
  id: number;
  text: string;
  isError: boolean;
  undo?: (() => void) | undefined;
}

interface Toast {
  /** Confirms what was done. Shows an Undo button if `undo` is given. */
  success: (text: string, undo?: () => void) => void;
  /** Says what failed and why. */
  error: (text: string) => void;
}

const ToastContext = createContext<Toast | null>(null);
const toastPanel = lazyImport(async () => (await import("./toast-panel")).ToastPanel);
let lastId = 0;

/** Returns functions that show a short message in the corner of the page and announce it to screen readers. */
export function useToasts(): Toast {
  const toast = useContext(ToastContext);
  if (!toast) throw new Error("useToasts must be used inside ToastProvider");
  return toast;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([]);
  const Panel = useLazyImport(toastPanel);
  const add = useCallback((message: Omit<Message, "id">) => {
    setMessages((before) => {
      const recent = before.slice(-2);
      return [...(message.isError ? recent : recent.map(withoutUndo)), { ...message, id: ++lastId }];
    });
  }, []);
  const toast = useMemo<Toast>(
    () => ({
      success: (text, undo) => add({ text, isError: false, undo }),
      error: (text) => add({ text, isError: true }),
    }),
    [add],
  );
  const remove = (id: number) => setMessages((before) => before.filter((message) => message.id !== id));
  return (
    <ToastContext value={toast}>
      {children}
      {Panel && messages.length > 0 && <Panel messages={messages} onClose={remove} />}
    </ToastContext>
  );
}

/** Removes the Undo button: after a later action, it would be unclear what it undoes. */
const withoutUndo = ({ undo: _, ...message }: Message): Message => message;
