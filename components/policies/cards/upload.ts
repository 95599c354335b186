"use client";

import { CallError, staffCall } from "@/components/session/staff-call";
import type { ShownImage } from "./card-labels";

interface Upload {
  /** Of the policy's card images, below `/api/staff/`. */
  path: string;
  blob: Blob;
  rank: number;
  /** Only where the policy still has this version. */
  version: number;
  /** Share of the bytes that went out, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** What a change of a card image answers. */
export interface Changed {
  version: number;
  image?: ShownImage;
}

/**
 * Uploads a picture, telling how far it is. Where the session has ended, it is sent once more after the sign-in.
 *
 * @throws CallError as `staffCall`; the picture is the caller's to keep
 */
export async function uploadPicture(upload: Upload): Promise<Changed> {
  const first = await send(upload);
  if (first.status !== 401) return read(first);
  // Any call of the page asks to sign in again and waits for it.
  await staffCall(upload.path);
  return read(await send(upload));
}

interface Answer {
  status: number;
  text: string;
}

/** By XMLHttpRequest: fetch does not tell how much of a body went out. */
function send({ path, blob, rank, version, onProgress, signal }: Upload): Promise<Answer> {
  const form = new FormData();
  form.set("image", blob, blob.type === "image/png" ? "card.png" : "card.jpg");
  form.set("image_rank", String(rank));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const lost = () =>
      reject(
        new CallError(0, "offline", "The connection was lost. Your picture is kept here; try again when it is back."),
      );
    request.open("POST", `/api/staff/${path}`);
    request.setRequestHeader("if-match", `"${version}"`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = lost;
    request.ontimeout = lost;
    request.onabort = () => reject(new CallError(0, "aborted", "The upload was stopped."));
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
  throw new CallError(status, String(body.code ?? "error"), String(words ?? `The server answered ${status}.`));
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
