import { type ReactNode, useLayoutEffect, useState } from "react";

/**
 * Returns the focus to the element that opened a layer when the layer closes. Radix UI does this only for a layer that has
 * rendered twice, and a layer that closes before that would lose focus. Turn off its own handling with {@link keepFocus}.
 */
export function useFocusReturn(): void {
  // Read during the first render: afterwards the focus is inside the layer.
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(
    () => () => {
      // Wait until the layer is gone. If another element has focus by then, such as one in the next layer, leave it there.
      setTimeout(() => {
        // The opener may have been removed or disabled, and a layer opened by a shortcut has none.
        for (const place of [opener, document.getElementById("main")]) {
          if (document.activeElement !== document.body) return;
          if (place instanceof HTMLElement) place.focus();
        }
      });
    },
    [opener],
  );
}

/** Handles `onCloseAutoFocus` of a layer that uses {@link useFocusReturn}. */
export const keepFocus = (event: Event): void => event.preventDefault();

/** Returns the focus like {@link useFocusReturn}, for a layer whose content is replaced while it is open. */
export function FocusReturn({ children }: { children: ReactNode }) {
  useFocusReturn();
  return children;
}
