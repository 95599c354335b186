import { type ReactNode, useLayoutEffect, useState } from "react";

/** Focuses the first button of a layer's content before it is painted, unless an input in it has the focus. */
export function focusFirstButton(content: HTMLElement | null): void {
  if (content && !content.contains(document.activeElement)) content.querySelector<HTMLElement>("button")?.focus();
}

/**
 * Returns the focus to the element that opened a layer when the layer closes. Radix UI does so only for a layer that rendered a
 * second time, so a layer that closes before that would leave the focus nowhere; pass its own return to `keepFocus`.
 */
export function useFocusReturn(): void {
  // Read while the layer is first rendered: afterwards the focus is inside it.
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(
    () => () => {
      // Once the layer is gone. An element that took the focus meanwhile, such as one in the next layer, keeps it.
      setTimeout(() => {
        // The opener may be gone or disabled by what was done in the layer, and a shortcut opens a layer from nowhere.
        for (const place of [opener, document.getElementById("main")]) {
          if (document.activeElement !== document.body) return;
          if (place instanceof HTMLElement) place.focus();
        }
      });
    },
    [opener],
  );
}

/** For `onCloseAutoFocus` of a layer that uses {@link useFocusReturn}. */
export const keepFocus = (event: Event): void => event.preventDefault();

/** Returns the focus like {@link useFocusReturn}, for a layer whose content is replaced while it is open. */
export function FocusReturn({ children }: { children: ReactNode }) {
  useFocusReturn();
  return children;
}
