"use client";

import { setNonce } from "get-nonce";
import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";

/** Provides the light or dark theme. It follows the system until the user chooses one. */
export function Appearance({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  // Radix injects a style element when a layer stops the page behind it from scrolling.
  if (nonce) setNonce(nonce);
  return (
    <ThemeProvider attribute="class" disableTransitionOnChange nonce={nonce}>
      {children}
    </ThemeProvider>
  );
}
