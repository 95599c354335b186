/** Waits for a promise, but at most `ms` milliseconds. Returns null if it has no value by then. The work itself continues. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes a function that does `work` and waits at most `ms` milliseconds for it. Returns null if it has no value by then. Work that hangs is not
 * started again, so it takes one connection, however often the function is called.
 */
export function oneAtATime<T>(work: () => Promise<T>, ms: number): () => Promise<T | null> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return within(running, ms);
  };
}

/** Makes a function that does `work` and reuses its result for `ms` milliseconds. */
export function reuseFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!last || last.until <= now) last = { result: work(), until: now + ms };
    return last.result;
  };
}

/**
 * Makes a function whose callers share one run of `work`, which begins after they called: calls during a run wait for the next one. So each
 * caller gets a result that is newer than its call.
 */
export function shareNext<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const running = work();
      last = running.catch(() => {});
      return running;
    });
    return next;
  };
}
