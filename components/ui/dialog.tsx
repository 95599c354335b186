"use client";

import type { ReactNode } from "react";
import { lazyImport, useLazyImport } from "./lazy-with-retry";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What the dialog is about, or what will happen. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the primary one last. */
  footer?: ReactNode;
  wide?: boolean;
}

const dialogPanel = lazyImport(async () => (await import("./dialog-panel")).DialogPanel);

/** Renders a modal dialog. The focus returns to where it was when the dialog closes. */
export function Dialog({ open, ...rest }: DialogProps) {
  const Panel = useLazyImport(dialogPanel);
  return open && Panel ? <Panel {...rest} /> : null;
}
