// Serializes errors for the log without data of patients. Plain JavaScript, because the scripts need it before anything is installed.

/** Fields of an error that may be logged besides its message and stack. */
const SAFE_FIELDS = ["code", "constraint", "table", "routine"];
/** PostgreSQL's data exceptions and constraint violations. Their messages quote values of the row. */
const QUOTES_VALUES = /^2[23][0-9A-Z]{3}$/;
/** JavaScript's own errors, which can quote a value: `Iterator value Lopez is not an entry object`. */
const OF_JAVASCRIPT = [SyntaxError, TypeError, RangeError];
/** The beginnings of their messages that quote nothing. */
const SAFE_MESSAGE =
  /^(Cannot (read|set) properties of (undefined|null)|Maximum call stack size exceeded|Invalid (string|array) length|Invalid time value|fetch failed)/;
/** Cuts long or circular chains of causes. */
const MAX_CAUSES = 5;

/** An error of another thread or process. Errors lose their type on the way, so the other side serializes them. */
export class RemoteError extends Error {
  /** @param {Record<string, unknown>} serialized from `serializeError` */
  constructor(serialized) {
    super(findMessage(serialized));
    this.name = "RemoteError";
    this.serialized = serialized;
  }
}

/**
 * Serializes an error for the log. Drivers add the contents of rows (`detail`, `where`, parameters), so only safe fields are copied. A
 * message that can quote values is left out.
 *
 * @param {unknown} error
 * @param {number} [depth]
 * @returns {Record<string, unknown>}
 */
export function serializeError(error, depth = 0) {
  if (!(error instanceof Error)) return { type: typeof error };
  if (error instanceof RemoteError) return error.serialized;
  /** @type {Record<string, unknown>} */
  const kept = { type: error.constructor.name || error.name };
  const fields = isForUsers(error) ? [...SAFE_FIELDS, "reason"] : SAFE_FIELDS;
  for (const field of fields) {
    const value = Reflect.get(error, field);
    if (typeof value === "string") kept[field] = value;
  }
  if (canQuoteValues(error)) {
    const [safe] = isOfJavaScript(error) ? (SAFE_MESSAGE.exec(error.message) ?? []) : [];
    if (safe) kept.message = safe;
    kept.stack = stackFrames(error);
  } else {
    kept.message = error.message;
    kept.stack = error.stack;
  }
  if (error.cause instanceof Error && depth < MAX_CAUSES) kept.cause = serializeError(error.cause, depth + 1);
  return kept;
}

/**
 * @param {Error} error
 * @returns {boolean}
 */
function canQuoteValues(error, depth = 0) {
  const { message, name, cause } = error;
  if (isForUsers(error) || isOfJavaScript(error) || name === "ZodError") return true;
  if (QUOTES_VALUES.test(String(Reflect.get(error, "code")))) return true;
  // Some errors repeat the message of their cause.
  return (
    cause instanceof Error && depth < MAX_CAUSES && message.includes(cause.message) && canQuoteValues(cause, depth + 1)
  );
}

/**
 * Returns whether the message is for users. It can quote what they sent, such as a cell or the name of a file.
 *
 * @param {Error} error
 */
const isForUsers = (error) => Reflect.get(error, "isForUsers") === true;

/** @param {Error} error */
const isOfJavaScript = (error) => OF_JAVASCRIPT.some((kind) => error instanceof kind);

/**
 * Returns the stack without the message, which may have several lines.
 *
 * @param {Error} error
 */
function stackFrames({ message, stack = "" }) {
  const head = stack.indexOf(message);
  // Without the message, the stack may hold an earlier form of it, so nothing in it is safe.
  return head === -1 ? "" : stack.slice(head + message.length).trimStart();
}

/**
 * Returns the first message in a chain of causes.
 *
 * @param {Record<string, any> | undefined} serialized
 * @returns {string}
 */
function findMessage(serialized) {
  if (!serialized) return "";
  return typeof serialized.message === "string" ? serialized.message : findMessage(serialized.cause);
}
