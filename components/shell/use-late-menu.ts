"use client";

import { type ComponentType, useEffect, useRef, useState } from "react";

/**
 * A menu that is loaded when the page is at rest, so that no first load waits for it. Until then a button stands in its
 * place; it is not replaced while somebody is on it, and whoever presses it early gets the menu open.
 */
export function useLateMenu<P>(load: () => Promise<ComponentType<P & { defaultOpen: boolean }>>) {
  const button = useRef<HTMLButtonElement>(null);
  const [late, setLate] = useState<{ Menu: ComponentType<P & { defaultOpen: boolean }>; asked: boolean } | null>(null);
  const first = useRef(load);
  useEffect(() => {
    let there = true;
    void first.current().then((Menu) => {
      if (there && document.activeElement !== button.current) setLate((before) => before ?? { Menu, asked: false });
    });
    return () => {
      there = false;
    };
  }, []);
  const open = async () => {
    const Menu = await first.current();
    setLate({ Menu, asked: true });
  };
  return { late, button: { ref: button, "aria-haspopup": "menu" as const, onClick: () => void open() } };
}
