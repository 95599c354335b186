"use client";

import { CallError } from "@/components/session/call-error";
import { parseJson } from "@/components/session/response-error";
import { pageHeaders, staffCall } from "@/components/session/staff-call";
import { uploadErrors as text } from "../messages/cards";

/** Reports the progress of an upload, and stops it. */
export interface UploadWatch {
  /** Called with the fraction of the bytes that were sent, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

interface Upload extends UploadWatch {
  /** Where the image is sent, relative to `/api/staff/`. */
  path: string;
  /** A path to read if the session has expired. That call asks the user to sign in again. */
  readPath: string;
  blob: Blob;
  /** The place of the image. */
  fields: Record<string, number>;
  /** The version that the policy, or the patient without policies, must still have. */
  version: number;
}

/** The result of a change to a card image. */
export interface ChangedImage {
  /** The new version of the policy or patient. */
  version: number;
  /** The hash of the new image, if one was uploaded. */
  sha256: string | undefined;
}

/** The API's response to a change to a card image, for a policy (`image`) or for a patient without policies (`sha256`). */
export interface ChangeResponse {
  version: number;
  image?: { sha256: string };
  sha256?: string;
}

export function toChangedImage({ version, image, sha256 }: ChangeResponse): ChangedImage {
  return { version, sha256: image?.sha256 ?? sha256 };
}

/**
 * Uploads a picture. If the session has expired, waits until the user has signed in again and sends it once more.
 *
 * @throws CallError
 */
export async function uploadPicture(upload: Upload): Promise<ChangedImage> {
  const first = await send(upload);
  if (first.status !== 401) return readReply(first);
  const { readPath, signal } = upload;
  await Promise.race([staffCall(readPath, { signal }), aborted(signal)]);
  return readReply(await send(upload));
}

/** Rejects when the upload is stopped. The user may never sign in again. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Reply {
  status: number;
  body: string;
}

/** Sends a picture with XMLHttpRequest, because fetch does not report upload progress. */
async function send({ path, blob, fields, version, onProgress, signal }: Upload): Promise<Reply> {
  // An upload stopped before anything was sent can't have changed anything.
  signal.throwIfAborted();
  const form = new FormData();
  form.set("image", blob, blob.type === "image/png" ? "card.png" : "card.jpg");
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const onLost = () => reject(new CallError(0, "offline", text.connectionLost, {}, true));
    request.open("POST", `/api/staff/${path}`);
    request.setRequestHeader("if-match", `"${version}"`);
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve({ status: request.status, body: request.responseText });
    request.onerror = onLost;
    request.ontimeout = onLost;
    // An upload stopped midway may still have arrived.
    request.onabort = () => reject(new CallError(0, "aborted", text.stopped, {}, true));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

function readReply({ status, body: reply }: Reply): ChangedImage {
  const body = (parseJson(reply) ?? {}) as ChangeResponse & UploadError;
  if (status >= 200 && status < 300) return toChangedImage(body);
  const { code = "error", detail, image, image_rank } = body;
  // A busy server (503 with a message) has saved nothing. Other server errors leave it open.
  const isKnown = status < 500 || (status === 503 && detail !== undefined && code !== "outcome_unknown");
  const fieldErrors = Array.isArray(image) ? image : image_rank;
  const reason = fieldErrors?.join(" ") ?? detail;
  const message = status === 413 ? text.tooLarge : reason;
  throw new CallError(status, code, message ?? text.failed(status), {}, !isKnown);
}

interface UploadError {
  code?: string;
  detail?: string;
  image?: string[];
  image_rank?: string[];
}
