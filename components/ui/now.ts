"use client";

import { useSyncExternalStore } from "react";

const TICK_MS = 30_000;

const listeners = new Set<() => void>();
let now: number | null = null;
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the current time and updates it twice a minute, from one shared timer. Returns null while rendering on the server. */
export function useNow(): number | null {
  return useSyncExternalStore(subscribe, read, () => null);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    tick();
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function read(): number {
  now ??= Date.now();
  return now;
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
