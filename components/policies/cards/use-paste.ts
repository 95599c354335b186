"use client";

import { useEffect, useEffectEvent } from "react";

const DIALOG = "[role=dialog], [role=alertdialog]";

/** Takes files that are pasted anywhere on the page, unless a dialog is open. */
export function usePaste(onFiles: (files: File[]) => void, enabled: boolean): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!enabled || files.length === 0 || document.querySelector(DIALOG)) return;
    event.preventDefault();
    onFiles(files);
  });
  useEffect(() => {
    const listener = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener("paste", listener);
    return () => document.removeEventListener("paste", listener);
  }, []);
}
