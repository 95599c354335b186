"use client";

import { useRouter } from "next/navigation";
import { useLayoutEffect, useState } from "react";
import { FocusReturn } from "@/components/ui/focus-return";
import { isTyping } from "@/components/ui/is-typing";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { leaveTo } from "@/components/ui/leave-guard";
import { mainPages } from "./main-pages";
import { PaletteFallback } from "./palette-fallback";
import type { User } from "./user-menu";

const Palette = lazyWithRetry(async () => (await import("./palette")).Palette, PaletteFallback);
const Shortcuts = lazyWithRetry(async () => (await import("./shortcuts")).Shortcuts);

interface CommandMenuProps {
  /** `/practices/{id}` */
  base: string;
  role: User["role"];
  practices: readonly { id: number; name: string }[];
}

const OPEN_EVENT = "crosswalk:open";
type Layer = "palette" | "shortcuts";
/** How long `g` waits for its second key. Any other key cancels it. */
const SEQUENCE_MS = 5_000;

/** Opens the command palette or the list of shortcuts from anywhere on the page. */
export function openLayer(layer: Layer): void {
  window.dispatchEvent(new CustomEvent<Layer>(OPEN_EVENT, { detail: layer }));
}

/** Handles the global shortcuts: Ctrl/Cmd K, `/`, `?`, and `g` followed by the key of a main page. */
export function CommandMenu(props: CommandMenuProps) {
  const [open, setOpen] = useState<Layer | null>(null);
  const [text, setText] = useState("");
  const router = useRouter();
  const { base, role } = props;
  // A layout effect, so that shortcuts work as soon as the page is visible.
  useLayoutEffect(() => {
    let lastG = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") setOpen("shortcuts");
      if (event.key === "/") {
        // Firefox would open its own search.
        event.preventDefault();
        const search = document.querySelector<HTMLInputElement>(`input[aria-keyshortcuts="/"]`);
        search?.select();
        if (!search) setOpen("palette");
      }
      const page = Date.now() - lastG < SEQUENCE_MS ? mainPages(role).find(({ key }) => key === event.key) : undefined;
      if (page) leaveTo(() => router.push(base + page.path));
      lastG = event.key === "g" ? Date.now() : 0;
    };
    const onOpen = (event: CustomEventInit<Layer>) => setOpen(event.detail ?? null);
    window.addEventListener("keydown", onKey);
    window.addEventListener(OPEN_EVENT, onOpen);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener(OPEN_EVENT, onOpen);
    };
  }, [base, role, router]);
  const show = (layer: Layer | null) => {
    setText("");
    setOpen(layer);
  };
  const close = () => show(null);
  if (open === null) return null;
  return (
    <FocusReturn>
      {open === "palette" ? (
        <Palette {...props} text={text} setText={setText} onClose={close} onShortcuts={() => show("shortcuts")} />
      ) : (
        <Shortcuts role={role} onClose={close} />
      )}
    </FocusReturn>
  );
}
