"use client";

import type { ReactNode } from "react";
import { useReady } from "./use-ready";

/** Disables the inputs of a server-rendered form until React has hydrated it. Anything typed earlier would be lost. */
export function ReadyFieldset({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={!useReady()} className="contents">
      {children}
    </fieldset>
  );
}
