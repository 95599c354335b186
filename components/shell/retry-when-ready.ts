/** A failover of the database takes about half a minute. */
const FIRST_MS = 2_500;
const LONGEST_MS = 60_000;
/** After this time without a failure, the next one is the first again. */
const FORGET_MS = 5 * 60_000;

/** Failures of pages one after the other. A failed attempt mounts the page's replacement again, so this is outside of it. */
let failures = 0;
let failedAt = Number.NEGATIVE_INFINITY;

/**
 * Calls `retry` once, when the server is ready and the page is visible: after 2.5 s at first, and after longer and longer pauses if pages keep
 * failing, at most a minute. Asking whether the server is ready is not a use of the session.
 *
 * @returns a function that stops it
 */
export function retryWhenReady(retry: () => void): () => void {
  const now = performance.now();
  failures = now - failedAt > FORGET_MS ? 1 : failures + 1;
  failedAt = now;
  // Not the same pause for all, because a failover replaces the pages of everyone at once.
  const pause = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) * (0.8 + 0.4 * Math.random());
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const wait = () => {
    timer = setTimeout(async () => {
      const isReady = document.visibilityState === "visible" && (await fetch("/readyz").catch(() => null))?.ok;
      if (isStopped) return;
      if (isReady) retry();
      else wait();
    }, pause);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
