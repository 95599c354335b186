"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useEffectEvent } from "react";

const WANTS = ["new", "retry"] as const;

/** Opens what the URL asks for (`?open=new`), once: the palette leads to a dialog that way. */
export function useAskedFor(what: (typeof WANTS)[number], open: () => void): void {
  const [asked, setAsked] = useQueryState("open", parseAsStringLiteral(WANTS));
  const act = useEffectEvent(() => {
    if (asked !== what) return;
    void setAsked(null);
    open();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is told when the URL asks.
  useEffect(() => act(), [asked]);
}
