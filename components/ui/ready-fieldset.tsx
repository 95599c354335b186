"use client";

import type { ReactNode } from "react";
import { useReady } from "./use-ready";

/** The inputs of a form that came with the page: they take nothing until it is ready, for what is typed sooner gets lost. */
export function ReadyFieldset({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={!useReady()} className="contents">
      {children}
    </fieldset>
  );
}
