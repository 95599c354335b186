/**
 * Keeps clicks on buttons and keys pressed outside inputs until the page is ready, then repeats them in order. Buttons are visible
 * before the code behind them has loaded; text typed after Ctrl K goes into the input that Ctrl K opens. Links and inputs work
 * without our code and are left alone: the main search of a page gets the focus once it is there, with the keys pressed until then. Old
 * presses are dropped: users no longer expect them to do anything.
 *
 * This function is inlined into the page and runs before React. It must not use anything outside its body.
 */
export function keepEarlyInput(): void {
  const KEPT_MS = 10_000;
  const MAX_KEPT = 50;
  /** `text` is the character of a key that would be typed, and empty for other keys and for clicks. */
  const kept: { time: number; text: string; isPalette: boolean; replay: () => void }[] = [];
  const keep = (replay: () => void, text = "", isPalette = false) => {
    kept.push({ time: Date.now(), text, isPalette, replay });
    if (kept.length > MAX_KEPT) kept.shift();
    document.documentElement.style.cursor = "progress";
  };
  let isReplaying = false;
  let isDraining = false;
  const isInput = (element: Element) => element.matches("input, select, textarea, [contenteditable]");
  const isText = (element: Element) => element instanceof HTMLInputElement && element.selectionStart !== null;
  const isClick = (element: Element, key: string) => element.matches("button") && (key === " " || key === "Enter");
  const onClick = (event: MouseEvent) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>("button, [role=button]") : null;
    if (!pressed || isReplaying) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keep(() => pressed.isConnected && pressed.click());
  };
  const onKey = (event: KeyboardEvent) => {
    const { key, code, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (isReplaying || !(target instanceof Element) || event.isComposing || key === "Tab") return;
    const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === "k";
    if (!isPalette && (ctrlKey || metaKey || altKey)) return;
    // An input that a repeated press has opened must get the earlier keys first. Keys after Ctrl K belong to the input that it opens.
    const isHeld = isDraining || kept.some((press) => press.isPalette);
    if (!isPalette && isInput(target) && !(isHeld && isText(target))) return;
    const clicks = isClick(target, key);
    // Otherwise the browser would open its own search, type the key now, or click the button a second time.
    if (isPalette || key === "/" || isInput(target) || clicks) event.preventDefault();
    event.stopImmediatePropagation();
    const text = key.length === 1 && key !== "/" && !isPalette && !clicks ? key : "";
    const again = { key, code, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true };
    const replay = () => {
      // A key that clicks a button goes to that button, any other key to the element that has focus by now.
      const receiver = clicks ? target : (document.activeElement ?? target);
      const isTaken = !receiver.dispatchEvent(new KeyboardEvent("keydown", again));
      if (isTaken || ctrlKey || metaKey) return;
      if (receiver instanceof HTMLInputElement) type(receiver, key);
      else if (clicks && target instanceof HTMLElement) target.click();
    };
    keep(replay, text, isPalette);
  };
  // A dispatched key event does not change the input's value.
  const type = (input: HTMLInputElement, key: string) => {
    const { selectionStart: start, selectionEnd: end } = input;
    if (start === null || end === null) return;
    if (key === "Backspace") input.setRangeText("", start === end ? Math.max(start - 1, 0) : start, end, "end");
    else if (key.length === 1) input.setRangeText(key, start, end, "end");
    else return;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  const onReady = () => {
    const oldest = Date.now() - KEPT_MS;
    isDraining = true;
    // Keep listening while repeating: a new key must not overtake the earlier ones.
    const next = () => {
      const press = kept.shift();
      if (!press) {
        window.removeEventListener("click", onClick, true);
        window.removeEventListener("keydown", onKey, true);
        document.documentElement.style.removeProperty("cursor");
        return;
      }
      isReplaying = true;
      try {
        if (press.time >= oldest) press.replay();
      } finally {
        isReplaying = false;
      }
      // Let React render what this press has opened before the next one.
      setTimeout(next);
    };
    setTimeout(next);
  };
  /** Focuses the main search, as `useFocusOnArrival` does once the page is ready. */
  const focusSearch = () => {
    const search = document.querySelector<HTMLInputElement>("#main [aria-keyshortcuts='/']");
    if (!search || document.activeElement !== document.body || !window.matchMedia("(pointer: fine)").matches) return;
    search.focus({ preventScroll: true });
    if (kept.some(({ text }) => text === "")) return;
    for (const { text } of kept.splice(0)) type(search, text);
  };
  document.addEventListener("DOMContentLoaded", focusSearch);
  window.addEventListener("click", onClick, true);
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("crosswalk:ready", onReady, { once: true });
}
