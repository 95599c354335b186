/**
 * Runs in the page by itself, before React: it may use nothing from outside its body.
 *
 * Buttons and shortcuts show before the code behind them has come. A press on a button, and a key outside of inputs, are
 * kept until the page is ready and then made again, in their order: what follows Ctrl K is typed into what that opens. Links and inputs work without our code and are left
 * alone. What was pressed too long ago is dropped: whoever pressed it expects nothing any more.
 */
export function keepEarlyInput(): void {
  const KEPT_MS = 10_000;
  const MOST_KEPT = 50;
  const kept: { time: number; replay: () => void }[] = [];
  const keep = (replay: () => void) => {
    kept.push({ time: Date.now(), replay });
    if (kept.length > MOST_KEPT) kept.shift();
    document.documentElement.style.cursor = "progress";
  };
  let isReplaying = false;
  const isInput = (element: Element) => element.matches("input, select, textarea, [contenteditable]");
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
    if (!isPalette && (ctrlKey || metaKey || altKey || isInput(target))) return;
    // The browser would look for something itself.
    if (isPalette) event.preventDefault();
    event.stopImmediatePropagation();
    const again = { key, code, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true };
    // Where the focus has moved on since, by what was replayed before it, the key is meant for that.
    keep(() => {
      const focused = document.activeElement ?? target;
      const isTaken = !focused.dispatchEvent(new KeyboardEvent("keydown", again));
      if (!isTaken && focused instanceof HTMLInputElement && !ctrlKey && !metaKey) type(focused, key);
    });
  };
  // A key that is made again types nothing by itself.
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
    // What is pressed meanwhile waits for its turn: a key would overtake the one that was pressed before it.
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
      // What one press opens is there for the next one.
      setTimeout(next);
    };
    setTimeout(next);
  };
  window.addEventListener("click", onClick, true);
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("crosswalk:ready", onReady, { once: true });
}
