"use client";

import { type ComponentType, useEffect, useSyncExternalStore } from "react";

const RETRY_MS = 3_000;
const PRELOAD_DELAY_MS = 2_000;

/** A module that is not part of the first load. */
interface LazyImport<T> {
  subscribe: (listener: () => void) => () => void;
  /** Returns null until the module has loaded. */
  get: () => T | null;
  /** Starts loading, once. Retries until it succeeds. */
  load: () => void;
  /** Calls `use` with the module, now or once it has loaded. */
  whenLoaded: (use: (module: T) => void) => void;
}

/** Wraps a dynamic import so that it loads after the page, before it is needed, and survives a failing network. */
export function lazyImport<T>(importModule: () => Promise<T>): LazyImport<T> {
  const listeners = new Set<() => void>();
  let loaded: { module: T } | null = null;
  let isRequested = false;
  const attempt = async () => {
    try {
      loaded = { module: await importModule() };
      for (const listener of listeners) listener();
    } catch {
      setTimeout(attempt, RETRY_MS);
    }
  };
  const load = () => {
    if (!isRequested) void attempt();
    isRequested = true;
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get: () => loaded?.module ?? null,
    load,
    whenLoaded: (use) => {
      if (loaded) return use(loaded.module);
      const listener = () => {
        listeners.delete(listener);
        if (loaded) use(loaded.module);
      };
      listeners.add(listener);
      load();
    },
  };
}

/** Loads a module once the component has mounted. Returns null until then. */
export function useLazyImport<T>(lazy: LazyImport<T>): T | null {
  useEffect(() => lazy.load(), [lazy]);
  return useSyncExternalStore(lazy.subscribe, lazy.get, () => null);
}

/**
 * Loads a component shortly after the page, or as soon as it is rendered. React's own `lazy` throws when the network fails and
 * takes the page down with it; this one retries.
 *
 * @param Fallback rendered until the component has loaded
 */
export function lazyWithRetry<P extends object>(
  importComponent: () => Promise<ComponentType<P>>,
  Fallback?: ComponentType<P>,
): ComponentType<P> {
  const lazy = lazyImport(importComponent);
  if (typeof window !== "undefined") setTimeout(lazy.load, PRELOAD_DELAY_MS);
  return function LazyComponent(props: P) {
    const Component = useLazyImport(lazy);
    if (Component) return <Component {...props} />;
    return Fallback ? <Fallback {...props} /> : null;
  };
}
