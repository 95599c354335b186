"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useEffectEvent } from "react";

const DIALOGS = ["new", "retry"] as const;

/** Opens a dialog once if the URL asks for it (`?open=new`), and removes the parameter. The command palette links this way. */
export function useOpenParam(dialog: (typeof DIALOGS)[number], open: () => void): void {
  const [requested, setRequested] = useQueryState("open", parseAsStringLiteral(DIALOGS));
  const openRequested = useEffectEvent(() => {
    if (requested !== dialog) return;
    void setRequested(null);
    open();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when the URL changes.
  useEffect(() => openRequested(), [requested]);
}
