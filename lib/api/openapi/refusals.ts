import type { ResponseHeader } from "@/lib/access/endpoints/declaration";
import { keysOf } from "@/lib/platform/objects";
import type { Answer, JsonSchema } from "./schema";

const PROBLEM = { $ref: "#/components/schemas/Problem" };
const FIELD_ERRORS = { $ref: "#/components/schemas/FieldErrors" };
const OAUTH_ERROR = { $ref: "#/components/schemas/OauthError" };

/** Shapes of errors (design §4). */
export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  Problem: {
    type: "object",
    description: "What is wrong, in words for people and in a word for programs.",
    properties: { detail: { type: "string" }, code: { type: "string", pattern: "^[a-z0-9_]+$" } },
    required: ["detail", "code"],
    additionalProperties: false,
  },
  FieldErrors: {
    description:
      "What is wrong with which field, nested like the body; what is wrong with the whole body stands under `non_field_errors`.",
    type: "object",
    additionalProperties: {
      anyOf: [
        { type: "array", items: { type: "string" }, minItems: 1 },
        FIELD_ERRORS,
        { type: "array", items: { anyOf: [FIELD_ERRORS, { type: "array", items: { type: "string" } }] } },
      ],
    },
  },
  OauthError: {
    type: "object",
    description: "An error of the token endpoints (RFC 6749 §5.2).",
    properties: { error: { type: "string" }, error_description: { type: "string" } },
    required: ["error", "error_description"],
    additionalProperties: false,
  },
};

interface Refusal {
  status: number;
  description: string;
  schema: JsonSchema;
  example: unknown;
  headers?: string[];
}

const problem = (detail: string, code: string) => ({ detail, code });

const REFUSALS = {
  BadRequest: {
    status: 400,
    description:
      "The input is not valid: what is wrong with which field or parameter. A header or a body that can't be read has a `detail` and a `code` instead.",
    // Of a body that is a list, by entry.
    schema: { anyOf: [PROBLEM, FIELD_ERRORS, { type: "array", items: FIELD_ERRORS }] },
    example: { rank: ["Must be 1 (primary), 2 (secondary), 3 (tertiary) or null."] },
  },
  NotAuthenticated: {
    status: 401,
    description: "No access token, or one that is unknown, expired or revoked (RFC 6750).",
    schema: PROBLEM,
    example: problem("The access token is unknown, expired or revoked.", "invalid_token"),
    headers: ["WWW-Authenticate"],
  },
  InsufficientScope: {
    status: 403,
    description:
      "The token lacks the scope, which the answer names (RFC 6750); or the record is every practice's, and can only be read (`forbidden`, without the header).",
    schema: PROBLEM,
    example: problem("This needs the scope system/patients.read.", "insufficient_scope"),
    headers: ["WWW-Authenticate"],
  },
  NotFound: {
    status: 404,
    description: "No such record, or one of a practice the client has no right to: both read the same.",
    schema: PROBLEM,
    example: problem("No such record.", "not_found"),
  },
  RequestTimeout: {
    status: 408,
    description: "The body arrived too slowly. Nothing was changed, and the connection is closed.",
    schema: PROBLEM,
    example: problem("The body did not arrive in time. Nothing was changed.", "request_timeout"),
  },
  Conflict: {
    status: 409,
    description: "The present state does not allow it, or the first request with this Idempotency-Key is under way.",
    schema: PROBLEM,
    example: problem("A request with this Idempotency-Key is under way.", "idempotency_in_flight"),
  },
  Gone: {
    status: 410,
    description: "The record was deleted for good.",
    schema: PROBLEM,
    example: problem("This policy was deleted permanently.", "gone"),
  },
  VersionConflict: {
    status: 412,
    description: "The record has changed since the version that `If-Match` names. Nothing was written.",
    schema: PROBLEM,
    example: problem("The record has changed: its version is now 3. Read it again and retry.", "version_conflict"),
  },
  TooLarge: {
    status: 413,
    description: "The body is larger than the settings allow.",
    schema: PROBLEM,
    example: problem("The body is larger than 16777216 bytes.", "payload_too_large"),
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The body is not in a form that is read here.",
    schema: PROBLEM,
    example: problem("Send the body as application/json.", "unsupported_media_type"),
  },
  Unprocessable: {
    status: 422,
    description: "Well-formed, and against a rule; or the Idempotency-Key was used with another body.",
    schema: PROBLEM,
    example: problem("This Idempotency-Key was used for another request.", "idempotency_key_reused"),
  },
  TooManyRequests: {
    status: 429,
    description:
      "Too many requests by this client, or without valid credentials from this address. Wait as long as `Retry-After` says.",
    schema: PROBLEM,
    example: problem("Too many requests. Try again in 1 s.", "rate_limited"),
    headers: ["Retry-After"],
  },
  Unavailable: {
    status: 503,
    description: "The service is busy. Unless the code is `outcome_unknown`, nothing was changed.",
    schema: PROBLEM,
    example: problem("The service is busy; nothing was changed. Try again shortly.", "overloaded"),
    headers: ["Retry-After"],
  },
  OauthRefused: {
    status: 400,
    description:
      "`invalid_request`, `unsupported_grant_type` or `invalid_scope`; the description names the parameter or scope.",
    schema: OAUTH_ERROR,
    example: { error: "invalid_scope", error_description: "'system/nothing.read' names no resource of this API." },
  },
  OauthClientRefused: {
    status: 401,
    description: "`invalid_client`: an unknown client, or a wrong secret.",
    schema: OAUTH_ERROR,
    example: { error: "invalid_client", error_description: "Unknown client or wrong secret." },
    headers: ["WWW-Authenticate"],
  },
  NotModified: {
    status: 304,
    description: "What `If-None-Match` names is still what there is.",
    schema: {},
    example: null,
    headers: ["ETag"],
  },
} satisfies Record<string, Refusal>;

export type RefusalName = keyof typeof REFUSALS;

const TABLE: Record<string, Refusal> = REFUSALS;

/** The refusals as shared answers of the description. */
export function refusalAnswers(): Record<string, Answer> {
  return Object.fromEntries(
    Object.entries(TABLE).map(([name, { status, description, schema, headers = [] }]) => [
      name,
      {
        description,
        headers: referToHeaders(["X-Request-Id", ...headers]),
        ...(status === 304
          ? {}
          : {
              content: {
                "application/json": { schema, examples: { [name]: { $ref: `#/components/examples/${name}` } } },
              },
            }),
      },
    ]),
  );
}

/** Their examples. */
export function refusalExamples(): Record<string, { value: unknown }> {
  return Object.fromEntries(
    Object.entries(TABLE).flatMap(([name, { status, example }]) =>
      status === 304 ? [] : [[name, { value: example }]],
    ),
  );
}

/** Refusals by status, as an operation refers to them. */
export function refer(names: readonly RefusalName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names
      .map((name) => [REFUSALS[name].status, { $ref: `#/components/responses/${name}` }] as const)
      .sort(([one], [other]) => one - other),
  );
}

/** Headers by name, as an answer refers to them. */
export function referToHeaders(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The refusal that has a status, beyond the token endpoints. */
export function refusalOf(status: number): RefusalName {
  const found = keysOf(REFUSALS).find((name) => REFUSALS[name].status === status);
  if (!found) throw new Error(`No refusal of the API description has the status ${status}.`);
  return found;
}

/** Headers that answers carry. */
export const HEADER_COMPONENTS = {
  "X-Request-Id": {
    description: "Names the request in the log. One that is sent is kept.",
    schema: { type: "string" },
  },
  ETag: {
    description: "The version of the record, for `If-Match`.",
    schema: { type: "string" },
  },
  Location: { description: "Where the new record is.", schema: { type: "string" } },
  "Retry-After": { description: "Seconds.", schema: { type: "integer", minimum: 0 } },
  "WWW-Authenticate": { description: "The challenge.", schema: { type: "string" } },
  "Sync-Status": {
    description: "`pending` where the other side of the stream has not followed in time; absent where it has.",
    schema: { type: "string", enum: ["pending"] },
  },
  "Idempotent-Replayed": {
    description: "`true` where this is the first answer again.",
    schema: { type: "string", enum: ["true"] },
  },
  Deprecation: {
    description:
      "Since when the legacy insurances in the answer are deprecated (RFC 9745): `@` and seconds since 1970, `@1761868800` for 31 October 2025 unless the practice has another date. Absent where there are none in it.",
    schema: { type: "string", pattern: "^@\\d+$" },
  },
  Sunset: {
    description:
      "Until when they are to be counted on (RFC 8594), as an HTTP date: `Fri, 31 Oct 2025 00:00:00 GMT` unless the practice has another date.",
    schema: { type: "string" },
  },
  Link: {
    description:
      'What follows them (RFC 8288): of a patient its policies, `rel="successor-version"`; of a list the guide, `rel="deprecation"`.',
    schema: { type: "string" },
  },
  "Link-Template": {
    description: 'Where the policies of each patient of the list are (RFC 9652), `rel="successor-version"`.',
    schema: { type: "string" },
  },
  "Content-Disposition": {
    description: "Whether the file is to be shown (`inline`) or kept (`attachment`), and its name (RFC 6266).",
    schema: { type: "string" },
  },
} satisfies Record<ResponseHeader | (string & {}), { description: string; schema: JsonSchema }>;
