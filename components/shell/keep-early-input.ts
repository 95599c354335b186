/**
 * Runs in the page by itself, before React: it may not use anything outside its body.
 *
 * Buttons and shortcuts show before the code behind them has loaded. Clicks on buttons, and keys pressed outside inputs, are kept
 * until the page is ready and then repeated in order: text typed after Ctrl K goes into the input that Ctrl K opens. Links and
 * inputs work without our code and are left alone. Old presses are dropped, because nobody expects them to do anything by then.
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
    // An input that a repeated press has opened gets the earlier keys first.
    if (!isPalette && isInput(target) && !(isDraining && isText(target))) return;
    const clicks = isClick(target, key);
    // The browser would search the page, type the key now, or also click the button.
    if (isPalette || isInput(target) || clicks) event.preventDefault();
    event.stopImmediatePropagation();
    const again = { key, code, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true };
    keep(() => {
      // A key goes to the element that has the focus by now. A key that clicks a button goes to that button.
      const place = clicks ? target : (document.activeElement ?? target);
      const isTaken = !place.dispatchEvent(new KeyboardEvent("keydown", again));
      if (isTaken || ctrlKey || metaKey) return;
      if (place instanceof HTMLInputElement) type(place, key);
      else if (clicks) (target as HTMLElement).click();
    });
  };
  // A repeated key does not type anything by itself.
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
    // Presses that come meanwhile wait for their turn: a key would overtake those before it.
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
      // The next press finds what this one has opened.
      setTimeout(next);
    };
    setTimeout(next);
  };
  window.addEventListener("click", onClick, true);
  window.addEventListener("keydown", onKey, true);
  window.addEventListener("crosswalk:ready", onReady, { once: true });
}
