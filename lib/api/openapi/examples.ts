import { countCharacters } from "@/lib/insurance/fields/limits";
import { pascal } from "./components";
import type { JsonSchema, MediaType, OpenApiDocument, Operation } from "./schema";

const REF = "#/components/schemas/";
/** The number of optional fields in the example of a body. */
const MAX_OPTIONAL_FIELDS = 4;
/** The number of fields in the example of a change. */
const MAX_CHANGED_FIELDS = 2;

/** Adds an example to every body and response, generated from its schema. Equal ones share a component. */
export function addExamples(document: OpenApiDocument): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = pascal(operation.operationId);
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        const purpose = method === "patch" ? "change" : "body";
        addExample(document, media, { name: `${name}${type === "application/json" ? "Body" : "Form"}`, purpose, path });
      }
      for (const media of successfulContent(operation)) {
        addExample(document, media, { name: `${name}Response`, purpose: "response", path });
      }
    }
  }
  for (const { post } of Object.values(document.webhooks ?? {})) {
    for (const media of Object.values(post.requestBody?.content ?? {}))
      addExample(document, media, { name: pascal(post.operationId), purpose: "response", path: "" });
  }
  const { examples } = document.components;
  document.components.examples = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function successfulContent({ responses }: Operation): MediaType[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith("2") && "content" in response ? Object.values(response.content ?? {}) : [],
  );
}

/** What an example shows: a complete response, a body with its required fields, or a change to a few fields. */
type Purpose = "response" | "body" | "change";

interface ExampleRequest {
  /** The name of the example if its schema has none. */
  name: string;
  purpose: Purpose;
  /** The path of the operation. */
  path: string;
}

function addExample(document: OpenApiDocument, media: MediaType, request: ExampleRequest): void {
  const schema = media.schema ?? {};
  // An example of bytes would say nothing.
  if (schema.format === "binary") return;
  const alternatives = schema.anyOf?.some((part) => part.$ref?.endsWith("DryRun")) ? (schema.anyOf ?? []) : [schema];
  const { examples, schemas } = document.components;
  for (const one of alternatives) {
    const name = exampleName(one) ?? request.name;
    examples[name] ??= { value: exampleOf(one, "", { schemas, ...request }) };
    media.examples = { ...media.examples, [name]: { $ref: `#/components/examples/${name}` } };
  }
}

function exampleName(schema: JsonSchema): string | undefined {
  if (schema.$ref) return schema.$ref.slice(REF.length);
  const { type, items } = schema;
  return type === "array" && items?.$ref ? `${items.$ref.slice(REF.length)}List` : undefined;
}

interface ExampleContext extends Pick<ExampleRequest, "purpose" | "path"> {
  schemas: Record<string, JsonSchema>;
}

function exampleOf(schema: JsonSchema, field: string, context: ExampleContext): unknown {
  if (schema.$ref) return exampleOf(context.schemas[schema.$ref.slice(REF.length)] ?? {}, field, context);
  if (schema.const !== undefined) return schema.const;
  if (schema.format === "binary") return "the bytes of the file";
  if (field === "next")
    return `http://localhost:3000${context.path.replaceAll(/\{\w+\}/g, "1")}?limit=25&cursor=AT9Xb2rQk0u1mY7c`;
  const known = simpleExample(schema, field);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternativeExample(alternatives, field, context);
  if (schema.enum) return schema.enum.includes(known) ? known : schema.enum[0];
  if (schema.type === "object") return objectExample(schema, field, context);
  if (schema.type === "array") return listExample(schema, field, context);
  if (known === undefined) throw new Error(`No example value fits ${field}: ${JSON.stringify(schema)}.`);
  return known;
}

/** Returns an example of the first alternative, or null for fields that examples leave empty. */
function alternativeExample(alternatives: readonly JsonSchema[], field: string, context: ExampleContext): unknown {
  const isNullable = alternatives.some(({ type }) => type === "null");
  if (isNullable && simpleExample({}, field) === null) return null;
  return exampleOf(alternatives[0] ?? {}, field, context);
}

function listExample(schema: JsonSchema, field: string, context: ExampleContext): unknown[] {
  const { minItems = 0, items } = schema;
  const known = simpleExample({ type: "array" }, field);
  if (Array.isArray(known) && minItems === 0) return known;
  return items ? [exampleOf(items, field, context)] : [];
}

function objectExample(schema: JsonSchema, field: string, context: ExampleContext): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema;
  const shown = shownFields(schema, context.purpose);
  // A change shows nested objects like a body does.
  const below = context.purpose === "change" ? { ...context, purpose: "body" as const } : context;
  const named = Object.fromEntries(shown.map((name) => [name, exampleOf(properties[name] ?? {}, name, below)]));
  const isMap = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
  return isMap && field === "changes"
    ? { ...named, member_id: exampleOf(additionalProperties, "member_id", below) }
    : named;
}

/** Optional fields that examples omit: owners don't change, signing is a separate step, and some fields are deprecated. */
const HIDDEN_FIELDS = new Set([
  ...["practice", "patient", "caregiver_practice", "id", "insurance_plan", "insurance_company"],
  ...["signed_by", "signed_date", "sign_date"],
]);

function shownFields({ properties = {}, required = [] }: JsonSchema, purpose: Purpose): string[] {
  if (purpose === "response") return Object.keys(properties);
  const names = Object.keys(properties).filter((name) => !properties[name]?.readOnly);
  const isSimple = (name: string) => {
    const { type, enum: words, deprecated, not } = properties[name] ?? {};
    const types = [type].flat();
    return !deprecated && !not && (words !== undefined || types.includes("string") || types.includes("boolean"));
  };
  const optional = names.filter((name) => !required.includes(name) && !HIDDEN_FIELDS.has(name) && isSimple(name));
  const changing = optional.filter((name) => !/^patient_|first_name$|last_name$|dob$/.test(name));
  if (purpose === "change" && changing.length > 0) return changing.slice(0, MAX_CHANGED_FIELDS);
  // Clients with access to several practices must name one.
  const practice = purpose === "body" ? names.filter((name) => /^practice(_created)?$/.test(name)) : [];
  const kept = new Set([...required, ...practice, ...optional.slice(0, MAX_OPTIONAL_FIELDS)]);
  // An empty body is not a useful example.
  if (kept.size === 0) return names.filter((name) => !HIDDEN_FIELDS.has(name)).slice(0, 1);
  return names.filter((name) => kept.has(name));
}

/** An image of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Example values by field name. */
const VALUES_BY_NAME: Readonly<Record<string, unknown>> = {
  access_token: "6fJ2kQ0x",
  actor: "Front desk",
  address_line1: "12 Harbor Street",
  address: "12 Harbor Street",
  archive_reason: null,
  archived_date: null,
  authoring_practice: 1,
  base64_content: PNG,
  base_64: PNG,
  bytes: 48_213,
  card_images: [],
  carrier: "Acme Health",
  changed_fields: ["member_id"],
  city: "Boston",
  client_id: "the-client-id",
  client_secret: "its-secret",
  code: "E11.9",
  content_type: "image/png",
  copay: "25.00",
  count: 1,
  credentials: "MD",
  cursor: "AT9Xb2rQk0u1mY7c",
  data: {},
  deleted_date: null,
  delete_date: null,
  description: "Type 2 diabetes mellitus without complications",
  dob: "1980-05-17",
  duration: 30,
  email: "ada.reyes@example.org",
  end_time: "17:00:00",
  error_content: null,
  expires_in: 36_000,
  extension: "12",
  file_name: "letter.pdf",
  first_name: "Maria",
  from: "2026-01-14T14:30:00.000Z",
  group_id: "G-100",
  height: 640,
  id: 1,
  image_rank: 1,
  insurance_plan: 7,
  is_active: true,
  kind: "updated",
  last_name: "Lopez",
  license: "A100",
  license_state: "MA",
  member_id: "A1",
  middle_name: "Elena",
  name: "Penicillin",
  new: "A2",
  npi: "1234567893",
  old: "A1",
  original_filename: "front.png",
  patient_dob: "1980-05-17",
  patient_first_name: "Maria",
  patient_last_name: "Lopez",
  plan: "Gold PPO",
  previous: null,
  properties: {},
  reaction: "Hives",
  reason: "Yearly check",
  request_id: "0b0a3a0e-6b64-4d7e-9a57-2f3d1c5e8f10",
  resource: "patients",
  result: null,
  scope: "apiv2",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  side: 1,
  signing_pub_key: "whpk_mD3bZ1rK0Jt0u9m0m2bUuS6m4c8m3f0m1a2b3c4d5e8=",
  signing_secret: "whsec_8Qm3vB0kXq5yT2nJ7sLw4pRz1cVg6hDf9aUe0iOtYxM=",
  source: "policies_api",
  ssn: "000-00-0000",
  state: "MA",
  status_code: 200,
  target: "https://hooks.example.org/crosswalk",
  timezone: "America/New_York",
  to: "2026-01-15T14:30:00.000Z",
  token: "6fJ2kQ0x",
  token_type: "Bearer",
  ttl: 300,
  type: "client",
  url: "http://localhost:3000/api/2.0/card_images/0b0a3a0e-6b64-4d7e-9a57-2f3d1c5e8f10?expires=1795320000&signature=k3vZ9",
  version: 1,
  "webhook-signature": "v1a,m0m2bUuS6m4c8m3f0m1a2w== v1,K5oZfzN95Z9UVu1EsfQmfVNQ2hkZ2pj9o9NDN/H/pI4=",
  "webhook-timestamp": "1795320000",
  weekday: 1,
  width: 1_024,
  zip: "02110",
};

const VALUES_BY_SUFFIX: readonly [RegExp, unknown][] = [
  [/_line1$/, "12 Harbor Street"],
  [/first_name$/, "Maria"],
  [/last_name$/, "Lopez"],
  [/(phone|phone_number|fax)$/, "617-555-0134"],
  [/email/, "ada.reyes@example.org"],
  [/(npi)$/, "1234567893"],
  [/zip$/, "02110"],
  [/city$/, "Boston"],
  [/state$/, "MA"],
  [/(url|web_link|link)$/, "https://example.org/records/1"],
  [/name$/, "Example"],
  [/(notes?|text|body|instructions|comments?|description|content)$/, "As discussed with the patient."],
];

const VALUES_BY_FORMAT: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  "date-time": "2026-01-15T14:30:00.000Z",
  email: "ada.reyes@example.org",
  uri: "https://example.org/records/1",
  uuid: "0b0a3a0e-6b64-4d7e-9a57-2f3d1c5e8f10",
};

/** Texts that match most patterns: times, decimals, codes. */
const PATTERN_VALUES = ["10.00", "09:00:00", "12", "A1", "1.5", "2026-01-15", "1", "a", ""];

/** Returns an example of a simple value, or undefined if no known value fits. */
function simpleExample(schema: JsonSchema, field: string): unknown {
  const candidates = [
    ...(VALUES_BY_NAME[field] === undefined ? [] : [VALUES_BY_NAME[field]]),
    ...VALUES_BY_SUFFIX.filter(([suffix]) => suffix.test(field)).map(([, value]) => value),
    ...(schema.format ? [VALUES_BY_FORMAT[schema.format]] : []),
    // IDs, ranks and counts: the smallest positive value.
    ...(schema.minimum === undefined ? [] : [Math.max(schema.minimum, 1), schema.minimum]),
    ...["Example", ...PATTERN_VALUES, 1, 0, 30, false, null],
  ];
  return candidates.map((value) => truncate(value, schema)).find((value) => fits(value, schema));
}

function truncate(value: unknown, { maxLength, pattern, format }: JsonSchema): unknown {
  return typeof value === "string" && !pattern && !format ? value.slice(0, maxLength) : value;
}

/** Returns whether a schema accepts a simple value. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const types: string[] | null = schema.type === undefined ? null : [schema.type].flat();
  const { enum: words, minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  if (words && !words.includes(value)) return false;
  if (types && !types.includes(typeOf(value, types))) return false;
  if (typeof value === "number") return value >= minimum && value <= maximum && value > exclusiveMinimum;
  if (typeof value !== "string") return true;
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const length = countCharacters(value);
  if (length < minLength || length > maxLength) return false;
  if (pattern && !new RegExp(pattern, "u").test(value)) return false;
  return format === undefined || formatFits(value, format);
}

const FORMAT_PATTERNS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  email: /^\S+@\S+$/,
  uri: /^https?:\/\//,
  uuid: /^[\da-f-]{36}$/,
};

function formatFits(value: string, format: string): boolean {
  return FORMAT_PATTERNS[format]?.test(value) ?? true;
}

function typeOf(value: unknown, types: readonly string[]): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  return types.includes("integer") && Number.isInteger(value) ? "integer" : "number";
}
