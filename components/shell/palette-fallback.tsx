"use client";

import { paletteBox as words } from "./messages/search";
import type { User } from "./user-menu";

export interface PaletteProps {
  /** `/practices/{id}` */
  base: string;
  role: User["role"];
  practices: readonly { id: number; name: string }[];
  text: string;
  setText: (text: string) => void;
  onClose: () => void;
  onShortcuts: () => void;
}

/** What the palette and its fallback have in common. */
export const PALETTE = {
  placeholder: words.placeholder,
  box: "bg-raised border-line fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 rounded-md border shadow-xl",
  input: "border-line placeholder:text-soft h-11 w-full border-b bg-transparent px-3 outline-none",
} as const;

/** Returns a ref callback that focuses an input before the first paint, with the cursor after its text. */
export function focusAtEnd(input: HTMLInputElement | null): void {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}

/** Stands in for the palette while its code loads, and takes the text that the palette then searches for. */
export function PaletteFallback({ text, setText, onClose }: PaletteProps) {
  return (
    <>
      <div aria-hidden className="fixed inset-0 z-40 bg-black/45" />
      <div role="dialog" aria-modal aria-label={words.title} className={PALETTE.box}>
        <input
          ref={focusAtEnd}
          aria-label={words.title}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && onClose()}
          placeholder={PALETTE.placeholder}
          className={PALETTE.input}
        />
      </div>
    </>
  );
}
