import { CallError, REPEATED_KEY_TITLES } from "./call-error";
import { callErrors as words } from "./messages";

/** Converts the response of a failed call to an error. */
export function toCallError(status: number, text: string, method = "GET"): CallError {
  const body = text === "" ? null : parseJson(text);
  const { detail, code = "error" } = readProblem(body);
  if (status === 401) return new CallError(401, "not_signed_in", words.signedOut);
  if (status === 400 && detail === undefined && isObject(body)) {
    return new CallError(400, "validation_failed", words.invalidFields, flatten(body));
  }
  const message = code === "idempotency_key_reused" ? words.reusedKey : (detail ?? words.server(status));
  if (code in REPEATED_KEY_TITLES) return new CallError(status, code, message, {}, true);
  if (method === "GET" || !isOutcomeUnknown(status, code, detail)) return new CallError(status, code, message);
  // With this code, the server's own message already says to check first.
  return new CallError(status, code, code === "outcome_unknown" ? message : words.withCheck(message), {}, true);
}

/**
 * Returns whether a failed change may have been made. A busy server (503 with a message) has changed nothing; other server
 * errors, which may come from a proxy, leave it open.
 */
function isOutcomeUnknown(status: number, code: string, detail: string | undefined): boolean {
  if (status === 503 && detail !== undefined) return code === "outcome_unknown";
  return status >= 500;
}

/** Parses JSON. Returns null for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function readProblem(body: unknown): { detail?: string; code?: string } {
  return isObject(body) ? body : {};
}

/** The message about an ID that names no record is in the wording that API clients recognize. */
const toStaffMessage = (message: string) => (/^Invalid pk "/.test(message) ? words.absent : message);

function flatten(errors: object, prefix = ""): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, value]) => {
      const path = prefix + name;
      if (Array.isArray(value) && value.every((entry) => typeof entry === "string"))
        return [[path, value.map(toStaffMessage)]];
      return isObject(value) ? Object.entries(flatten(value, `${path}.`)) : [];
    }),
  );
}
