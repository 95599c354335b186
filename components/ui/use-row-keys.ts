import { type RefObject, useEffect } from "react";
import { isTyping } from "./is-typing";

/** Dialogs, menus and table rows handle these keys themselves. */
const OWN_KEYS = "tr[tabindex], [role=dialog], [role=menu], [role=listbox]";

/** Moves the focus into a table from anywhere on the page with `j` or `k`, and from the page's search with the down arrow. */
export function useRowKeys(body: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element))
        return;
      const isMove = isTyping(target)
        ? key === "ArrowDown" && target.matches(`input[aria-keyshortcuts="/"]`)
        : (key === "j" || key === "k") && !target.closest(OWN_KEYS);
      const row = isMove && body.current?.querySelector<HTMLElement>(`tr[tabindex="0"]`);
      if (!row) return;
      event.preventDefault();
      row.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [body]);
}
