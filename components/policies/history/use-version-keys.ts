"use client";

import { useEffectEvent, useLayoutEffect } from "react";

/** Runs an action for each of the given keys, unless the user is typing or a dialog is open. */
export function useVersionKeys(actions: Record<string, () => void>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
