"use client";

import { setNonce } from "get-nonce";
import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";

/** Light or dark: as the system is set, until somebody chooses. */
export function Appearance({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  // Radix adds a style of its own where a layer stops the page behind it from scrolling.
  if (nonce) setNonce(nonce);
  return (
    <ThemeProvider attribute="class" disableTransitionOnChange {...(nonce ? { nonce } : {})}>
      {children}
    </ThemeProvider>
  );
}
