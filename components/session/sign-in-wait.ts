"use client";

interface Wait {
  promise: Promise<boolean>;
  settle: (isSignedIn: boolean) => void;
}

let wait: Wait | null = null;
const listeners = new Set<(isNeeded: boolean) => void>();

/** Calls `listener` whenever a call starts or stops waiting for the user to sign in again. */
export function onSignInNeeded(listener: (isNeeded: boolean) => void): () => void {
  listeners.add(listener);
  listener(wait !== null);
  return () => listeners.delete(listener);
}

/** Repeats the waiting calls after the user has signed in. */
export function resumeCalls(): void {
  settle(true);
}

/** Fails the waiting calls because the user does not sign in. The next call after that asks again. */
export function cancelWaitingCalls(): void {
  settle(false);
}

/** Waits until the user has signed in again. Returns false if they don't. */
export function waitForSignIn(): Promise<boolean> {
  if (!wait) {
    let settleWait: Wait["settle"] = () => {};
    const promise = new Promise<boolean>((resolve) => {
      settleWait = resolve;
    });
    wait = { promise, settle: settleWait };
    for (const listener of listeners) listener(true);
  }
  return wait.promise;
}

function settle(isSignedIn: boolean): void {
  wait?.settle(isSignedIn);
  wait = null;
  for (const listener of listeners) listener(false);
}
