import type { ResponseHeader } from "@/lib/access/endpoints/declaration";
import { keysOf } from "@/lib/platform/objects";
import type { JsonSchema, ResponseObject } from "./schema";

const PROBLEM = { $ref: "#/components/schemas/Problem" };
const FIELD_ERRORS = { $ref: "#/components/schemas/FieldErrors" };
const OAUTH_ERROR = { $ref: "#/components/schemas/OauthError" };

const NESTED_ERRORS: JsonSchema = {
  type: "object",
  description: "The errors of a nested object, in the same form.",
  additionalProperties: true,
};

/** Schemas of errors. */
export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  Problem: {
    type: "object",
    description: "What is wrong: `detail` for people, `code` for programs.",
    properties: {
      detail: { type: "string" },
      code: { type: "string", pattern: "^[a-z0-9_]+$" },
      redirect: {
        type: "integer",
        description: "With `patient_exists`: the ID of the existing patient.",
      },
    },
    required: ["detail", "code"],
    additionalProperties: false,
  },
  FieldErrors: {
    description:
      "What is wrong with each field, nested like the body. Errors of the whole body are in `non_field_errors`.",
    type: "object",
    // Not recursive, because generators of clients can't resolve a schema that refers to itself.
    additionalProperties: {
      anyOf: [
        { type: "array", items: { type: "string" }, minItems: 1 },
        NESTED_ERRORS,
        { type: "array", items: { anyOf: [NESTED_ERRORS, { type: "array", items: { type: "string" } }] } },
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

interface ErrorResponse {
  status: number;
  description: string;
  schema: JsonSchema;
  example: unknown;
  headers?: string[];
}

const problem = (detail: string, code: string) => ({ detail, code });

const ERROR_RESPONSES = {
  BadRequest: {
    status: 400,
    description:
      "A field or parameter is invalid. The response names it and says what is wrong. An invalid header or an unreadable body has a `detail` and a `code` instead.",
    // The last form is for a body that is a list: errors by entry.
    schema: { anyOf: [PROBLEM, FIELD_ERRORS, { type: "array", items: FIELD_ERRORS }] },
    example: { rank: ["Must be 1 (primary), 2 (secondary), 3 (tertiary) or null."] },
  },
  NotAuthenticated: {
    status: 401,
    description: "The access token is missing, unknown, expired or revoked (RFC 6750).",
    schema: PROBLEM,
    example: problem("The access token is unknown, expired or revoked.", "invalid_token"),
    headers: ["WWW-Authenticate"],
  },
  InsufficientScope: {
    status: 403,
    description:
      "The token lacks a scope, which the response names (RFC 6750), or the record is shared by all practices and read-only (`forbidden`, without the header).",
    schema: PROBLEM,
    example: problem("This needs the scope system/patients.read.", "insufficient_scope"),
    headers: ["WWW-Authenticate"],
  },
  NotFound: {
    status: 404,
    description:
      "The record doesn't exist, or belongs to a practice that the client has no access to. The response is the same.",
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
    description:
      "The record's state does not allow this, or the first request with this Idempotency-Key is still in progress.",
    schema: PROBLEM,
    example: problem("The first request with this Idempotency-Key is still running.", "idempotency_in_flight"),
    headers: ["Retry-After"],
  },
  Gone: {
    status: 410,
    description: "The record was permanently deleted.",
    schema: PROBLEM,
    example: problem("This policy was deleted permanently.", "gone"),
  },
  VersionConflict: {
    status: 412,
    description: "The record has changed since the version in `If-Match`. Nothing was written.",
    schema: PROBLEM,
    example: problem("The record has changed: its version is now 3. Read it again and retry.", "version_conflict"),
  },
  TooLarge: {
    status: 413,
    description: "The body is larger than the server accepts.",
    schema: PROBLEM,
    example: problem("The body is larger than 16777216 bytes.", "payload_too_large"),
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The media type of the body is not supported, or the body is compressed.",
    schema: PROBLEM,
    example: problem("Send the body as application/json.", "unsupported_media_type"),
    headers: ["Accept-Encoding"],
  },
  Unprocessable: {
    status: 422,
    description: "The request is well-formed but breaks a rule, or the Idempotency-Key was used with another body.",
    schema: PROBLEM,
    example: problem("This Idempotency-Key was used for another request.", "idempotency_key_reused"),
  },
  TooManyRequests: {
    status: 429,
    description:
      "Too many requests from this client, or too many without valid credentials from this address. Wait for the seconds in `Retry-After`.",
    schema: PROBLEM,
    example: problem("Too many requests. Try again in 1 s.", "rate_limited"),
    headers: ["Retry-After"],
  },
  Unavailable: {
    status: 503,
    description: "The service is busy. Nothing was changed, unless the code is `outcome_unknown`.",
    schema: PROBLEM,
    example: problem("The service is busy; nothing was changed. Try again shortly.", "overloaded"),
    headers: ["Retry-After"],
  },
  OauthRefused: {
    status: 400,
    description:
      "`invalid_request`, `unsupported_grant_type` or `invalid_scope`. The description names the parameter or scope.",
    schema: OAUTH_ERROR,
    example: { error: "invalid_scope", error_description: "'system/nothing.read': this API has no such resource." },
  },
  OauthClientRefused: {
    status: 401,
    description: "`invalid_client`: the client is unknown, or the secret is wrong.",
    schema: OAUTH_ERROR,
    example: { error: "invalid_client", error_description: "Unknown client or wrong secret." },
    headers: ["WWW-Authenticate"],
  },
  NotModified: {
    status: 304,
    description: "The version in `If-None-Match` is current.",
    schema: {},
    example: null,
    headers: ["ETag"],
  },
} satisfies Record<string, ErrorResponse>;

export type ErrorResponseName = keyof typeof ERROR_RESPONSES;

const ERROR_RESPONSES_BY_NAME: Record<string, ErrorResponse> = ERROR_RESPONSES;

/** Returns the error responses as components. */
export function errorResponseComponents(): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(ERROR_RESPONSES_BY_NAME).map(([name, { status, description, schema, headers = [] }]) => [
      name,
      {
        description,
        headers: referToHeaders([...COMMON_HEADERS, ...headers]),
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

/** Returns the examples of error responses as components. */
export function errorExampleComponents(): Record<string, { value: unknown }> {
  return Object.fromEntries(
    Object.entries(ERROR_RESPONSES_BY_NAME).flatMap(([name, { status, example }]) =>
      status === 304 ? [] : [[name, { value: example }]],
    ),
  );
}

/** Returns references to error responses, by status. */
export function referToErrorResponses(names: readonly ErrorResponseName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names
      .map((name) => [ERROR_RESPONSES[name].status, { $ref: `#/components/responses/${name}` }] as const)
      .sort(([one], [other]) => one - other),
  );
}

/** Returns references to response headers, by name. */
export function referToHeaders(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the error response with a status, except those of token endpoints. */
export function errorResponseWithStatus(status: number): ErrorResponseName {
  const found = keysOf(ERROR_RESPONSES).find((name) => ERROR_RESPONSES[name].status === status);
  if (!found) throw new Error(`No error response of the OpenAPI document has the status ${status}.`);
  return found;
}

/** The headers that every response can have. */
export const COMMON_HEADERS = ["X-Request-Id", "X-Ignored-Parameters", "Preference-Applied"] as const;

/** Response headers. */
export const HEADER_COMPONENTS = {
  "X-Request-Id": {
    description: "Identifies the request in the log. If the request has one, it is used.",
    schema: { type: "string" },
  },
  "X-Ignored-Parameters": {
    description:
      "Names of query parameters that had no effect because the operation does not have them: up to 20, percent-encoded and separated by commas. Absent if there are none.",
    schema: { type: "string" },
  },
  "Preference-Applied": {
    description: "`handling=strict` if the request preferred it and got as far as its parameters. Absent otherwise.",
    schema: { type: "string", enum: ["handling=strict"] },
  },
  ETag: {
    description: "The version of the record, for `If-Match`.",
    schema: { type: "string" },
  },
  Location: { description: "The URL of the new record.", schema: { type: "string" } },
  "Retry-After": {
    description: "Seconds to wait before the next attempt. Absent if the same request would fail again.",
    schema: { type: "integer", minimum: 0 },
  },
  "Accept-Encoding": {
    description: "`identity` if the body was compressed. Absent otherwise.",
    schema: { type: "string", enum: ["identity"] },
  },
  "WWW-Authenticate": { description: "The authentication challenge.", schema: { type: "string" } },
  "Sync-Status": {
    description: "`pending` if the other store has not applied the write in time. Absent otherwise.",
    schema: { type: "string", enum: ["pending"] },
  },
  "Idempotent-Replayed": {
    description: "`true` if this is the stored response to an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
  Deprecation: {
    description:
      "When the legacy insurances in the response became deprecated (RFC 9745): `@` and seconds since 1970. `@1761868800` is October 31, 2025, the date unless the practice has another. Absent if the response has none.",
    schema: { type: "string", pattern: "^@\\d+$" },
  },
  Sunset: {
    description:
      "When legacy insurances may stop working (RFC 8594), as an HTTP date: `Fri, 31 Oct 2025 00:00:00 GMT` unless the practice has another date.",
    schema: { type: "string" },
  },
  Link: {
    description:
      'What replaces legacy insurances (RFC 8288): the policies of a patient with `rel="successor-version"`, or for a list the guide with `rel="deprecation"`.',
    schema: { type: "string" },
  },
  "Link-Template": {
    description: 'The URL of the policies of each patient in the list (RFC 9652), with `rel="successor-version"`.',
    schema: { type: "string" },
  },
  "Content-Disposition": {
    description: "Whether browsers show the file (`inline`) or download it (`attachment`), and its name (RFC 6266).",
    schema: { type: "string" },
  },
} satisfies Record<ResponseHeader | (string & {}), { description: string; schema: JsonSchema }>;
