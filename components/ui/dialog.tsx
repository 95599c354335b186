"use client";

import type { ReactNode } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What it is about, or what will happen. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the one that acts last. */
  footer?: ReactNode;
  wide?: boolean;
}

const dialogPanel = lazyImport(async () => (await import("./dialog-panel")).DialogPanel);

/** A layer above the page; the page behind it is out of reach until it closes, and focus returns where it was. */
export function Dialog({ open, ...rest }: DialogProps) {
  const Panel = useLazyImport(dialogPanel);
  return open && Panel ? <Panel {...rest} /> : null;
}
