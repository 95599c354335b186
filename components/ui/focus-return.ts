import { useState } from "react";

/** Focuses the first button of a layer's content before it is painted, unless an input of its own has the focus. */
export function focusFirstButton(content: HTMLElement | null): void {
  if (content && !content.contains(document.activeElement)) content.querySelector<HTMLElement>("button")?.focus();
}

/** For a layer's content: when it closes, the focus goes back to what opened it. */
export function useFocusReturn() {
  // Read while the layer is first rendered: afterwards the focus is inside it.
  const [opener] = useState(() => document.activeElement);
  return {
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      // What it was opened from may be gone by what was done in it; a key opens it from nowhere.
      const isThere = opener?.isConnected && opener !== document.body;
      const back = isThere ? opener : document.getElementById("main");
      if (back instanceof HTMLElement) back.focus();
    },
  };
}
