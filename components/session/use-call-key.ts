"use client";

import { useRef } from "react";
import { CallError } from "./staff-call";

/** Refusals that leave it open what came of an earlier try: signed out, too many calls, busy, still under way. */
const OPEN_STATUSES: readonly number[] = [401, 429, 503];

/**
 * Keys for a call that makes something new. @returns what gives the key of the next attempt: the same as long as it is not
 * known what came of the one before, so that it is made once.
 */
export function useCallKey(): (lastFailure: Error | null) => string {
  const key = useRef<string | null>(null);
  const isOpen = useRef(false);
  return (lastFailure) => {
    isOpen.current = isStillOpen(lastFailure, isOpen.current);
    if (key.current === null || !isOpen.current) key.current = crypto.randomUUID();
    return key.current;
  };
}

function isStillOpen(failure: Error | null, wasOpen: boolean): boolean {
  if (!(failure instanceof CallError)) return false;
  // These tell what came of it: a new press means a new one.
  if (failure.code === "idempotency_told_once" || failure.code === "idempotency_key_reused") return false;
  return failure.isUncertain || (wasOpen && OPEN_STATUSES.includes(failure.status));
}
