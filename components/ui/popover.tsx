"use client";

import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, useState } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

export interface PopoverProps {
  /** The button that opens the popover. */
  trigger: ReactElement<ComponentProps<"button">>;
  /** The accessible name. */
  label: string;
  children: ReactNode;
}

const popoverPanel = lazyImport(async () => (await import("./popover-panel")).PopoverPanel);

/**
 * Renders a button with a text above the page, which Escape, a press outside or the button closes. Its code loads after the page, as
 * that of menus does.
 */
export function Popover(props: PopoverProps) {
  const Panel = useLazyImport(popoverPanel);
  const [isPressed, setPressed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  if (Panel && (isPressed || !isFocused)) return <Panel {...props} defaultOpen={isPressed} />;
  return cloneElement(props.trigger, {
    "aria-haspopup": "dialog",
    onClick: () => setPressed(true),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  });
}
