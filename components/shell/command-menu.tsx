"use client";

import { useRouter } from "next/navigation";
import { useLayoutEffect, useState } from "react";
import { FocusReturn } from "@/components/ui/focus-return";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { leaveTo } from "@/components/ui/leave-guard";
import { PaletteWaiting } from "./palette-waiting";
import { PLACES } from "./places";
import type { User } from "./user-menu";

const Palette = lazyWithRetry(async () => (await import("./palette")).Palette, PaletteWaiting);
const Shortcuts = lazyWithRetry(async () => (await import("./shortcuts")).Shortcuts);

export interface CommandMenuProps {
  /** `/practices/{id}` */
  base: string;
  role: User["role"];
  practices: readonly { id: number; name: string }[];
}

const OPEN = "crosswalk:open";
type Layer = "palette" | "shortcuts";
/** How long `g` waits for its second key; any other key ends it. */
const SEQUENCE_MS = 5_000;

/** Opens the palette or the list of shortcuts, wherever the button stands. */
export function openLayer(layer: Layer): void {
  window.dispatchEvent(new CustomEvent<Layer>(OPEN, { detail: layer }));
}

/** Keys that work everywhere: Ctrl/Cmd K, `?`, and `g` with a place's letter. What they open is loaded on first use. */
export function CommandMenu(props: CommandMenuProps) {
  const [open, setOpen] = useState<Layer | null>(null);
  const [text, setText] = useState("");
  const router = useRouter();
  const { base } = props;
  // In the commit that shows the page: a key that is pressed as soon as it is seen is heard.
  useLayoutEffect(() => {
    let going = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") setOpen("shortcuts");
      const place = Date.now() - going < SEQUENCE_MS ? PLACES.find(({ key }) => key === event.key) : undefined;
      if (place) leaveTo(() => router.push(base + place.path));
      going = event.key === "g" ? Date.now() : 0;
    };
    const onOpen = (event: Event) => setOpen((event as CustomEvent<Layer>).detail);
    window.addEventListener("keydown", onKey);
    window.addEventListener(OPEN, onOpen);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener(OPEN, onOpen);
    };
  }, [base, router]);
  const goOn = (next: Layer | null) => {
    setText("");
    setOpen(next);
  };
  const close = () => goOn(null);
  if (open === null) return null;
  return (
    <FocusReturn>
      {open === "palette" ? (
        <Palette {...props} {...{ text, setText }} onClose={close} onShortcuts={() => goOn("shortcuts")} />
      ) : (
        <Shortcuts onClose={close} />
      )}
    </FocusReturn>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
