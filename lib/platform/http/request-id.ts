import { randomUUID } from "node:crypto";

/** Returns the request ID a client sent, so that logs of both sides can be matched, or a new one if it is missing or invalid. */
export function toRequestId(sent: string | null | undefined): string {
  return sent && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID();
}
