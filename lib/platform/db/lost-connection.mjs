// Which errors mean that the database can't be reached. Plain JavaScript without packages, because system-failure.mjs needs it.

/** The server shuts down or starts, as PostgreSQL reports it. Its class 08 is checked separately. */
const SHUTDOWN = ["57P01", "57P02", "57P03"];
/** A connection that was open breaks, as Node.js reports it. */
const BROKEN = ["ECONNABORTED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETRESET", "ENETUNREACH"];
const LOST = new Set([...SHUTDOWN, ...BROKEN, "ECONNREFUSED", "EPIPE", "ETIMEDOUT"]);
/** Calls that open a connection. A failure of DNS can be brief, and nothing was sent yet. */
const OPENING = new Set(["connect", "getaddrinfo"]);
/** pg has no codes for failures that it detects itself. */
const LOST_MESSAGE = /^Connection terminated|connection error and is not queryable|^Query read timeout$/;

/**
 * Returns whether a connection could not be opened or was lost, and with it the response to the last statement.
 *
 * @param {unknown} error
 * @returns {boolean}
 */
export function isLostConnection(error) {
  if (!(error instanceof Error)) return false;
  const { code = "", syscall = "", message } = /** @type {Error & { code?: string, syscall?: string }} */ (error);
  return LOST.has(code) || /^08[0-9A-Z]{3}$/.test(code) || OPENING.has(syscall) || LOST_MESSAGE.test(message);
}
