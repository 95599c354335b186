"use client";

import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, useState } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

/** An entry of a menu: an action, a link, a heading, a choice or a separator. */
export type MenuEntry = { key: string } & (
  | { label: ReactNode; onSelect: () => void; danger?: boolean }
  | { label: ReactNode; href: string }
  | { heading: ReactNode }
  | { heading: string; chosen: string | undefined; choices: readonly MenuChoice[] }
  | { separator: true }
);

interface MenuChoice {
  value: string;
  label: ReactNode;
  onSelect: () => void;
}

export interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement<ComponentProps<"button">>;
  entries: readonly MenuEntry[];
  align?: "start" | "end";
}

const menuPanel = lazyImport(async () => (await import("./menu-panel")).MenuPanel);

/**
 * Renders a button with a menu. The menu's code loads after the page. If the user presses the button before that, the menu
 * opens once its code has loaded. The plain button is not replaced while it has focus, because it would lose focus.
 */
export function Menu(props: MenuProps) {
  const Panel = useLazyImport(menuPanel);
  const [isPressed, setPressed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  if (Panel && (isPressed || !isFocused)) return <Panel {...props} defaultOpen={isPressed} />;
  return cloneElement(props.trigger, {
    "aria-haspopup": "menu",
    onClick: () => setPressed(true),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  });
}
