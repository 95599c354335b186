"use client";

import { CallError } from "./call-error";
import { callErrors } from "./messages";
import { parseJson, toCallError } from "./response-error";
import { waitForSignIn } from "./sign-in-wait";

/** The user the page was rendered for. The server rejects its calls if another user has signed in since. */
let pageUser: number | null = null;

export function setPageUser(id: number | null): void {
  pageUser = id;
}

/** Headers that every call of the page sends. */
export function pageHeaders(): Record<string, string> {
  return pageUser === null ? {} : { "x-crosswalk-person": String(pageUser) };
}

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON, except form data and blobs. */
  body?: unknown;
  /** The version that the record must still have. */
  ifMatch?: number | undefined;
  reason?: string | undefined;
  /** An idempotency key from `useIdempotencyKey`, for calls that create something. */
  key?: string;
  /** Whether the page makes the call without a user action. Such calls don't extend the session. */
  background?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Calls the API of the staff pages (`/api/staff/…`). If the session has expired, the page asks the user to sign in again and
 * repeats the call afterwards, so that nothing typed is lost.
 *
 * @throws CallError
 */
export async function staffCall<T = unknown>(path: string, options: CallOptions = {}): Promise<T> {
  const text = await call(path, options, (response) => response.text());
  return (text === "" ? null : parseJson(text)) as T;
}

/**
 * Downloads a file from the API of the staff pages, with the name that the server gives it.
 *
 * @throws CallError
 */
export async function staffFile(path: string): Promise<{ content: Blob; name: string }> {
  return call(path, {}, async (response) => {
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
    return { content: await response.blob(), name: name ?? "download" };
  });
}

async function call<T>(path: string, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
  let response = await send(path, options);
  if (response.status === 401 && !options.background && (await waitForSignIn())) response = await send(path, options);
  if (response.ok) return withNetworkErrors(options, () => read(response));
  const text = await withNetworkErrors(options, () => response.text());
  throw toCallError(response.status, text, options.method);
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const { method = "GET", body, ifMatch, reason, key, background, signal } = options;
  const headers = new Headers(pageHeaders());
  const isRaw = body instanceof FormData || body instanceof Blob;
  if (body instanceof Blob) headers.set("content-type", "application/octet-stream");
  else if (body !== undefined && !isRaw) headers.set("content-type", "application/json");
  if (ifMatch !== undefined) headers.set("if-match", `"${ifMatch}"`);
  // Header values are bytes. The server decodes this one as UTF-8.
  if (reason) headers.set("x-change-reason", String.fromCharCode(...new TextEncoder().encode(reason)));
  if (key) headers.set("idempotency-key", key);
  if (background) headers.set("x-crosswalk-background", "1");
  return withNetworkErrors(options, () =>
    fetch(`/api/staff/${path}`, { method, headers, body: isRaw ? body : JSON.stringify(body), signal: signal ?? null }),
  );
}

/** @throws CallError if the request or its response was lost */
async function withNetworkErrors<T>({ method = "GET", signal }: CallOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw error;
    if (method === "GET") {
      throw new CallError(0, "offline", callErrors.offline);
    }
    throw new CallError(0, "offline", callErrors.offlineChange(), {}, true);
  }
}
