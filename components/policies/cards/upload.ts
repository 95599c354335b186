"use client";

import { CallError } from "@/components/session/call-error";
import { pageHeaders, staffCall } from "@/components/session/staff-call";
import type { ShownImage } from "./card-text";

interface Upload {
  /** Where card images are sent, below `/api/staff/`. */
  path: string;
  /** What can be read there: asked for where the session has ended, for such a call asks to sign in again. */
  readPath: string;
  blob: Blob;
  /** Which place it is for. */
  fields: Record<string, number>;
  /** Only where the policy, or the patient of a card by priority, still has this version. */
  version: number;
  /** Share of the bytes that went out, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** What a change of a card image answers. */
export interface Changed {
  version: number;
  image?: ShownImage;
  /** Of a card by priority. */
  sha256?: string;
}

/**
 * Uploads a picture, telling how far it is. Where the session has ended, it is sent once more after the sign-in.
 *
 * @throws CallError as `staffCall`; the picture is the caller's to keep
 */
export async function uploadPicture(upload: Upload): Promise<Changed> {
  const first = await send(upload);
  if (first.status !== 401) return read(first);
  const { readPath, signal } = upload;
  await Promise.race([staffCall(readPath, { signal }), stopped(signal)]);
  return read(await send(upload));
}

/** Fails once it is stopped: a sign-in that is waited for may never come. */
function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Answer {
  status: number;
  text: string;
}

const LOST = "The connection was lost. Your picture is kept here; try again when it is back.";

/** By XMLHttpRequest: fetch does not tell how much of a body went out. */
async function send({ path, blob, fields, version, onProgress, signal }: Upload): Promise<Answer> {
  // Stopped before anything went out, it stays so.
  signal.throwIfAborted();
  const form = new FormData();
  form.set("image", blob, blob.type === "image/png" ? "card.png" : "card.jpg");
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const lost = () => reject(new CallError(0, "offline", LOST, {}, true));
    request.open("POST", `/api/staff/${path}`);
    request.setRequestHeader("if-match", `"${version}"`);
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = lost;
    request.ontimeout = lost;
    // Stopped on its way, it may have arrived.
    request.onabort = () => reject(new CallError(0, "aborted", "The upload was stopped.", {}, true));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

function read({ status, text }: Answer): Changed {
  const body = parse(text);
  if (status >= 200 && status < 300) return body as unknown as Changed;
  const problems = (body.image ?? body.image_rank) as string[] | undefined;
  const detail = Array.isArray(problems) ? `The picture: ${problems.join(" ").toLowerCase()}` : body.detail;
  const words = status === 413 ? "The picture is larger than the server takes. Crop it or make it smaller." : detail;
  const message = String(words ?? `The server answered ${status}.`);
  // A busy server says in words that nothing was saved; any other failure of it tells nothing.
  const isKnown = status < 500 || (status === 503 && body.detail !== undefined && body.code !== "outcome_unknown");
  throw new CallError(status, String(body.code ?? "error"), message, {}, !isKnown);
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
