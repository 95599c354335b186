import { useRef } from "react";

/** For a layer's content: when it closes, the focus goes back to what opened it. */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      // What it was opened from may be gone by what was done in it; a key opens it from nowhere.
      const isThere = opener.current?.isConnected && opener.current !== document.body;
      const back = isThere ? opener.current : document.getElementById("main");
      if (back instanceof HTMLElement) back.focus();
    },
  };
}
