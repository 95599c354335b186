import { config } from "./config";

/**
 * Returns the origin of all links: PUBLIC_URL, which is required if other machines can reach the server. Links never use a request's Host
 * header, because the client chooses it.
 */
export function publicOrigin(): string {
  const { PUBLIC_URL, PORT } = config();
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}
