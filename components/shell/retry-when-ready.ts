/** A failover of the database takes about half a minute. */
const FIRST_MS = 2_500;
const LONGEST_MS = 60_000;
/** The pauses start over if no page has failed for this long. */
const FORGET_MS = 5 * 60_000;

/** Consecutive failures. Kept outside the component, because each failed attempt mounts it again. */
let failures = 0;
let failedAt = Number.NEGATIVE_INFINITY;

/**
 * Calls `retry` as soon as the server is ready and the page is visible. It checks after 2.5 s, and each consecutive failure doubles that time,
 * up to a minute. These checks don't extend the session.
 *
 * @returns a function that stops it
 */
export function retryWhenReady(retry: () => void): () => void {
  const now = performance.now();
  failures = now - failedAt > FORGET_MS ? 1 : failures + 1;
  failedAt = now;
  // Random, because a failover affects all open pages at once.
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
