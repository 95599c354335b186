"use client";

import { useRef } from "react";
import { CallError } from "./call-error";

/** Responses that don't show whether an earlier attempt succeeded: signed out, too many calls, busy or still in progress. */
const INCONCLUSIVE_STATUSES: readonly number[] = [401, 429, 503];

/**
 * Returns a function that gives the idempotency key of the next attempt to create something. The key stays the same while it is
 * unknown whether the previous attempt succeeded, so that nothing is created twice.
 */
export function useIdempotencyKey(): (lastError: Error | null) => string {
  const key = useRef<string | null>(null);
  const isUnknown = useRef(false);
  return (lastError) => {
    isUnknown.current = isOutcomeUnknown(lastError, isUnknown.current);
    if (key.current === null || !isUnknown.current) key.current = crypto.randomUUID();
    return key.current;
  };
}

function isOutcomeUnknown(error: Error | null, wasUnknown: boolean): boolean {
  if (!(error instanceof CallError)) return false;
  // These say what the earlier attempt did, so the next one is meant as a new one.
  if (error.code === "idempotency_told_once" || error.code === "idempotency_key_reused") return false;
  return error.isUncertain || (wasUnknown && INCONCLUSIVE_STATUSES.includes(error.status));
}
