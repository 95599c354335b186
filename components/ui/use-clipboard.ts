"use client";

import { useEffect, useState } from "react";

const SHOWN_MS = 2_000;

/** Copies a string to the clipboard. `copied` is true for a moment afterwards. */
export function useClipboard(text: string) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return { copied, copy };
}
