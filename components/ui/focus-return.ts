import { useRef } from "react";

/** For a layer's content: when it closes, the focus goes back to what opened it. */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = openerOf(document.activeElement);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      // What it was opened from may be gone, or out of reach, by what was done in it.
      const back = opener.current?.isConnected ? opener.current : document.getElementById("main");
      if (back instanceof HTMLElement) back.focus();
    },
  };
}

/** A menu's line is gone with its menu: the menu's button stands for it. */
function openerOf(element: Element | null): Element | null {
  const button = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return button ? document.getElementById(button) : element;
}
