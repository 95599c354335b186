"use client";

import { useRef } from "react";
import { isUncertain } from "./staff-call";

/**
 * Keys for a call that makes something new. @returns what gives the key of the next attempt: a new one, but the same again
 * after an answer that never came, so that it is made once.
 */
export function useCallKey(): (lastFailure: Error | null) => string {
  const key = useRef<string | null>(null);
  return (lastFailure) => {
    if (key.current === null || !isUncertain(lastFailure)) key.current = crypto.randomUUID();
    return key.current;
  };
}
