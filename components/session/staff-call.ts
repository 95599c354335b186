"use client";

import { signedInAgain } from "./session-wait";

/** Fields of a form and what is wrong with each: the server's words. */
type FieldProblems = Record<string, string[]>;

/** A call the server refused, or that did not reach it (`status` 0). */
export class CallError extends Error {
  readonly status: number;
  /** The server's word for the reason; `offline` where nobody answered. */
  readonly code: string;
  /** What is wrong, by field, for a 400 on a form. */
  readonly fields: FieldProblems;
  /** It was to change something, and nobody knows whether it did: the answer was lost. */
  readonly isUncertain: boolean;

  constructor(status: number, code: string, message: string, fields: FieldProblems = {}, isUncertain = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.isUncertain = isUncertain;
  }
}

/** What is wrong by field, where that is why a call was refused. */
export function fieldErrors(error: Error | null): FieldProblems {
  return error instanceof CallError ? error.fields : {};
}

/** Whether what the call was to change may have been changed all the same. */
export function isUncertain(error: unknown): boolean {
  return error instanceof CallError && error.isUncertain;
}

/**
 * What a form says above its inputs of a call that failed.
 *
 * @param refused the title where it is certain that nothing was done: `Nothing was saved`
 */
export function toFormError(error: Error | null, refused: string): { title: string; message: string } | null {
  if (!error) return null;
  const done = error instanceof CallError ? KNOWN_TRIES[error.code] : undefined;
  return { title: done ?? (isUncertain(error) ? "It may have been done" : refused), message: error.message };
}

/** A try with a key the server knows: what it says is about the first one, of which no answer came. */
const KNOWN_TRIES: Record<string, string> = {
  idempotency_in_flight: "It is still being done",
  idempotency_told_once: "It was done already",
  idempotency_key_reused: "It was done already",
  idempotency_answer_lost: "It may have been done",
};

/** Whom the page was opened by; the server answers nobody else on it. */
let person: number | null = null;

export function openPageFor(id: number | null): void {
  person = id;
}

/** What each call says of the page it comes from. */
export function pageHeaders(): Record<string, string> {
  return person === null ? {} : { "x-crosswalk-person": String(person) };
}

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; a form and bytes as they are. */
  body?: unknown;
  /** Only where the record still has this version. */
  ifMatch?: number;
  reason?: string;
  /** Of `useCallKey`, for what must be made once. */
  key?: string;
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
  const text = await answerOf(path, options, (response) => response.text());
  return (text === "" ? null : parse(text)) as T;
}

/**
 * Fetches a file from the staff side's API, with the name the server gives it.
 *
 * @throws CallError
 */
export async function staffFile(path: string): Promise<{ content: Blob; name: string }> {
  return answerOf(path, {}, async (response) => {
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
    return { content: await response.blob(), name: name ?? "download" };
  });
}

async function answerOf<T>(path: string, options: CallOptions, take: (answer: Response) => Promise<T>): Promise<T> {
  let response = await send(path, options);
  if (response.status === 401 && !options.background && (await signedInAgain())) response = await send(path, options);
  if (response.ok) return received(options, () => take(response));
  const text = await received(options, () => response.text());
  throw refusalOf(response.status, text, options);
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const { method = "GET", body, ifMatch, reason, key, background, signal } = options;
  const headers = new Headers(pageHeaders());
  const isPlain = body !== undefined && !(body instanceof FormData) && !(body instanceof Blob);
  if (isPlain) headers.set("content-type", "application/json");
  if (body instanceof Blob) headers.set("content-type", "application/octet-stream");
  if (ifMatch !== undefined) headers.set("if-match", `"${ifMatch}"`);
  // Headers carry bytes: the server reads them as UTF-8.
  if (reason) headers.set("x-change-reason", String.fromCharCode(...new TextEncoder().encode(reason)));
  if (key) headers.set("idempotency-key", key);
  if (background) headers.set("x-crosswalk-background", "1");
  const content = body === undefined ? null : isPlain ? JSON.stringify(body) : (body as FormData | Blob);
  return received(options, () =>
    fetch(`/api/staff/${path}`, { method, headers, body: content, ...(signal ? { signal } : {}) }),
  );
}

const LOOK_FIRST = "It may have been saved all the same: look before you try again.";

/** @throws CallError where the network fails on the way there or back */
async function received<T>({ method = "GET", signal }: CallOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw error;
    if (method === "GET") {
      throw new CallError(0, "offline", "The server can't be reached. Check the connection and try again.");
    }
    throw new CallError(0, "offline", `The server can't be reached. ${LOOK_FIRST}`, {}, true);
  }
}

function refusalOf(status: number, text: string, { method = "GET" }: CallOptions): CallError {
  const body = text === "" ? null : parse(text);
  const { detail, code = "error" } = (body ?? {}) as { detail?: string; code?: string };
  if (status === 401) return new CallError(401, "not_signed_in", "You are signed out. Sign in to go on.");
  if (status === 400 && detail === undefined && body !== null) {
    const fields = flatten(body as object);
    return new CallError(400, "validation_failed", "Some fields need another look.", fields);
  }
  const words =
    code === "idempotency_key_reused"
      ? "The first try was carried out, with what stood here then. Look at the list before you try again."
      : (detail ?? `The server answered ${status}.`);
  if (code in KNOWN_TRIES) return new CallError(status, code, words, {}, true);
  if (method === "GET" || !isAnswerLost(status, code, detail)) return new CallError(status, code, words);
  // The server says so itself where it knows that it does not know.
  const message = code === "outcome_unknown" ? words : `${words} ${LOOK_FIRST}`;
  return new CallError(status, code, message, {}, true);
}

/** A busy server says in words that nothing was changed; any other failure of it, or of what stands before it, tells nothing. */
function isAnswerLost(status: number, code: string, detail: string | undefined): boolean {
  if (status === 503 && detail !== undefined) return code === "outcome_unknown";
  return status >= 500;
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
