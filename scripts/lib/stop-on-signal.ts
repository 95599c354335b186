/** How long a stopping server waits for running requests. */
export const GRACE_MS = 10_000;

/**
 * Ends the process after `stop` on the first SIGINT or SIGTERM. Call it before a long start: in a container, the process has PID 1, and Linux
 * ignores these signals for it as long as it has no handler.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) return;
    stopping = true;
    // A start that fails reports its error itself.
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
}
