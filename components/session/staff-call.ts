"use client";

/** Fields of a form and what is wrong with each: the server's words. */
export type FieldProblems = Record<string, string[]>;

/** A call the server refused, or that did not reach it (`status` 0). */
export class CallError extends Error {
  readonly status: number;
  /** The server's word for the reason; `offline` where nobody answered. */
  readonly code: string;
  /** What is wrong, by field, for a 400 on a form. */
  readonly fields: FieldProblems;

  constructor(status: number, code: string, message: string, fields: FieldProblems = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** What is wrong by field, where that is why a call was refused. */
export function fieldsOf(error: Error | null): FieldProblems {
  return error instanceof CallError ? error.fields : {};
}

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; a form as it is. */
  body?: unknown;
  /** Only where the record still has this version. */
  ifMatch?: number;
  reason?: string;
  /** The page asks by itself: that does not keep the session alive. */
  background?: boolean;
  signal?: AbortSignal;
}

/**
 * Calls the staff side's API (`/api/staff/…`). Where the session has ended, the page asks to sign in again in place, and
 * the call is made once more: nothing typed is lost.
 *
 * @throws CallError
 */
export async function staffCall<T = unknown>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(path, options);
  if (response.status !== 401) return read<T>(response);
  if (options.background) throw new CallError(401, "not_signed_in", "You are signed out.");
  await signedInAgain();
  return read<T>(await send(path, options));
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const { method = "GET", body, ifMatch, reason, background, signal } = options;
  const headers = new Headers();
  if (body !== undefined && !(body instanceof FormData)) headers.set("content-type", "application/json");
  if (ifMatch !== undefined) headers.set("if-match", `"${ifMatch}"`);
  // Headers carry bytes: the server reads them as UTF-8.
  if (reason) headers.set("x-change-reason", String.fromCharCode(...new TextEncoder().encode(reason)));
  if (background) headers.set("x-crosswalk-background", "1");
  const content = body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body);
  try {
    return await fetch(`/api/staff/${path}`, { method, headers, body: content, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(
      0,
      "offline",
      "The server can't be reached. Nothing was saved; check the connection and try again.",
    );
  }
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  const body = text === "" ? null : parse(text);
  if (response.ok) return body as T;
  const { detail, code } = (body ?? {}) as { detail?: string; code?: string };
  if (response.status === 400 && detail === undefined && body !== null) {
    const fields = flatten(body as object);
    throw new CallError(400, "validation_failed", "Some fields need another look.", fields);
  }
  throw new CallError(response.status, code ?? "error", detail ?? `The server answered ${response.status}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function flatten(problems: object, prefix = ""): FieldProblems {
  return Object.fromEntries(
    Object.entries(problems).flatMap(([name, value]) => {
      const path = prefix + name;
      if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return [[path, value]];
      return typeof value === "object" && value !== null ? Object.entries(flatten(value, `${path}.`)) : [];
    }),
  );
}

let waiting: { promise: Promise<void>; resolve: () => void } | null = null;
const listeners = new Set<(waits: boolean) => void>();

/** Tells whether a call waits for somebody to sign in again. */
export function onSignInNeeded(listener: (waits: boolean) => void): () => void {
  listeners.add(listener);
  listener(waiting !== null);
  return () => listeners.delete(listener);
}

/** Lets the calls that waited go on. */
export function resumeCalls(): void {
  waiting?.resolve();
  waiting = null;
  for (const listener of listeners) listener(false);
}

function signedInAgain(): Promise<void> {
  if (!waiting) {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    waiting = { promise, resolve };
    for (const listener of listeners) listener(true);
  }
  return waiting.promise;
}
