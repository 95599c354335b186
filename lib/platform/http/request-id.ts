import { randomUUID } from "node:crypto";

/**
 * The id an answer carries as X-Request-Id: the one the client sent, where it is a decent one, so that both logs can be
 * read side by side; otherwise a new one.
 */
export function toRequestId(sent: string | null | undefined): string {
  return sent && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID();
}
