"use client";

import { type ComponentType, useEffect, useSyncExternalStore } from "react";

const RETRY_MS = 3_000;
const AHEAD_MS = 2_000;

/** Code that a page does without at first. */
interface Late<T> {
  subscribe: (changed: () => void) => () => void;
  /** null until it is there. */
  get: () => T | null;
  /** Fetches it, again and again where the network fails, once. */
  fetch: () => void;
  /** Runs `use` with it: at once where it is there, else when it has come. */
  whenThere: (use: (part: T) => void) => void;
}

/** For what opens on a press: no first load waits for it, and it is there before the press. */
export function late<T>(load: () => Promise<T>): Late<T> {
  const listeners = new Set<() => void>();
  let part: T | null = null;
  let isAsked = false;
  const attempt = async () => {
    try {
      part = await load();
      for (const changed of listeners) changed();
    } catch {
      setTimeout(attempt, RETRY_MS);
    }
  };
  const fetch = () => {
    if (!isAsked) void attempt();
    isAsked = true;
  };
  return {
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    get: () => part,
    fetch,
    whenThere: (use) => {
      if (part !== null) return use(part);
      const once = () => {
        listeners.delete(once);
        use(part as T);
      };
      listeners.add(once);
      fetch();
    },
  };
}

/** A late part, fetched once the page stands. @returns null until it is there */
export function useLate<T>(part: Late<T>): T | null {
  useEffect(() => part.fetch(), [part]);
  return useSyncExternalStore(part.subscribe, part.get, () => null);
}

/**
 * A component that is not in the first load. It is fetched when the page has had time to stand, or when it is first shown;
 * a network that fails meanwhile costs nothing but time, where React's own `lazy` would take the whole page down with it.
 */
export function latePart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  const part = late(load);
  if (typeof window !== "undefined") setTimeout(part.fetch, AHEAD_MS);
  return function LatePart(props: P) {
    const Part = useLate(part);
    if (Part) return <Part {...props} />;
    return Waiting ? <Waiting {...props} /> : null;
  };
}
