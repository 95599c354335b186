import { config } from "./config";

/**
 * Scheme, host and port of every link this installation makes: PUBLIC_URL, which the settings require wherever the server can
 * be reached from another machine. Never what a request says: its Host header is the sender's to choose.
 */
export function publicOrigin(): string {
  const { PUBLIC_URL, PORT } = config();
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}
