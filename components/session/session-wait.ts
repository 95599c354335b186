"use client";

interface Waiting {
  promise: Promise<boolean>;
  settle: (isBack: boolean) => void;
}

let waiting: Waiting | null = null;
const listeners = new Set<(waits: boolean) => void>();

/** Tells whether a call waits for somebody to sign in again. */
export function onSignInNeeded(listener: (waits: boolean) => void): () => void {
  listeners.add(listener);
  listener(waiting !== null);
  return () => listeners.delete(listener);
}

/** Lets the calls that waited go on. */
export function resumeCalls(): void {
  settle(true);
}

/** Nobody signs in: the calls that waited fail, and the next one that finds the session ended asks again. */
export function giveUpCalls(): void {
  settle(false);
}

/** Asks to sign in again. @returns false where nobody did */
export function signedInAgain(): Promise<boolean> {
  if (!waiting) {
    let settleIt: Waiting["settle"] = () => {};
    const promise = new Promise<boolean>((done) => {
      settleIt = done;
    });
    waiting = { promise, settle: settleIt };
    for (const listener of listeners) listener(true);
  }
  return waiting.promise;
}

function settle(isBack: boolean): void {
  waiting?.settle(isBack);
  waiting = null;
  for (const listener of listeners) listener(false);
}
