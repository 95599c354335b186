import { log } from "@/lib/platform/log";

const EVENTS = ["unhandledRejection", "uncaughtException"] as const;
/** Where Next keeps the listener that it shares between its bundles. It adds its own only if this one is not registered. */
const NEXT_LISTENER = Symbol.for("next.unhandledRejectionListener");

/**
 * Logs unhandled errors without patient data, and replaces all other listeners, which would print errors as they are. A start of Next adds some, so
 * call it again afterwards.
 *
 * @param afterwards runs after the error was logged
 */
export function logUnhandled(afterwards = () => {}): void {
  for (const event of EVENTS) {
    const listener = (error: unknown) => {
      log.error({ err: error, event }, "unhandled error");
      afterwards();
    };
    process.removeAllListeners(event);
    process.on(event, listener);
    if (event === "unhandledRejection") Object.assign(globalThis, { [NEXT_LISTENER]: listener });
  }
  // Next adds a listener at the first request of a page, unless this is set.
  Object.assign(globalThis, { nextInitializedProcessErrorHandlers: true });
}
