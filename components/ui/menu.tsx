"use client";

import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, useState } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

/** A line of a menu: something to do, a place to go, a heading, or (none of these) a rule between the others. */
export type MenuEntry = { key: string } & (
  | { words: ReactNode; act: () => void; danger?: boolean }
  | { words: ReactNode; href: string }
  | { heading: ReactNode }
  | { rule: true }
);

export interface MenuProps {
  /** A button. */
  trigger: ReactElement<ComponentProps<"button">>;
  entries: readonly MenuEntry[];
  align?: "start" | "end";
}

const menuPanel = lazyImport(async () => (await import("./menu-panel")).MenuPanel);

/**
 * A button's menu. Until its code is there the button stands alone; it is not replaced while somebody is on it, and
 * whoever presses it early gets the menu open.
 */
export function Menu(props: MenuProps) {
  const Panel = useLazyImport(menuPanel);
  const [isAsked, setAsked] = useState(false);
  const [isFocused, setFocused] = useState(false);
  if (Panel && (isAsked || !isFocused)) return <Panel {...props} defaultOpen={isAsked} />;
  return cloneElement(props.trigger, {
    "aria-haspopup": "menu",
    onClick: () => setAsked(true),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  });
}
