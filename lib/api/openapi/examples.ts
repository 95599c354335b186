import { countCharacters } from "@/lib/insurance/fields/limits";
import { pascal } from "./components";
import type { JsonSchema, MediaType, OpenApiDocument, Operation } from "./schema";

const REF = "#/components/schemas/";
/** Of the fields that may be left out, so many stand in the example of a body. */
const OPTIONAL_SHOWN = 4;
const CHANGED_SHOWN = 2;

/** Gives every body and every answer an example, made of what its schema says; alike ones stand once. */
export function addExamples(document: OpenApiDocument): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = pascal(operation.operationId);
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        const purpose = method === "patch" ? "change" : "body";
        exemplify(document, media, { name: `${name}${type === "application/json" ? "Body" : "Form"}`, purpose, path });
      }
      for (const media of answersOf(operation)) {
        exemplify(document, media, { name: `${name}Answer`, purpose: "answer", path });
      }
    }
  }
  for (const { post } of Object.values(document.webhooks ?? {})) {
    for (const media of Object.values(post.requestBody?.content ?? {}))
      exemplify(document, media, { name: pascal(post.operationId), purpose: "answer", path: "" });
  }
  const { examples } = document.components;
  document.components.examples = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function answersOf({ responses }: Operation): MediaType[] {
  return Object.entries(responses).flatMap(([status, answer]) =>
    status.startsWith("2") && "content" in answer ? Object.values(answer.content ?? {}) : [],
  );
}

/** What an example is of: a whole answer, a body with what it needs, or a change of little. */
type Purpose = "answer" | "body" | "change";

interface Wanted {
  /** Of the example, where its schema has none. */
  name: string;
  purpose: Purpose;
  /** Of the operation. */
  path: string;
}

function exemplify(document: OpenApiDocument, media: MediaType, wanted: Wanted): void {
  const schema = media.schema ?? {};
  // Bytes have no example that says anything.
  if (schema.format === "binary") return;
  const alternatives = schema.anyOf?.some((part) => part.$ref?.endsWith("DryRun")) ? (schema.anyOf ?? []) : [schema];
  const { examples, schemas } = document.components;
  for (const one of alternatives) {
    const name = nameOf(one) ?? wanted.name;
    examples[name] ??= { value: exampleOf(one, "", { schemas, ...wanted }) };
    media.examples = { ...media.examples, [name]: { $ref: `#/components/examples/${name}` } };
  }
}

function nameOf(schema: JsonSchema): string | undefined {
  if (schema.$ref) return schema.$ref.slice(REF.length);
  const { type, items } = schema;
  return type === "array" && items?.$ref ? `${items.$ref.slice(REF.length)}List` : undefined;
}

interface Making extends Pick<Wanted, "purpose" | "path"> {
  schemas: Record<string, JsonSchema>;
}

function exampleOf(schema: JsonSchema, field: string, making: Making): unknown {
  if (schema.$ref) return exampleOf(making.schemas[schema.$ref.slice(REF.length)] ?? {}, field, making);
  if (schema.const !== undefined) return schema.const;
  if (schema.format === "binary") return "the bytes of the file";
  if (field === "next")
    return `http://localhost:3000${making.path.replaceAll(/\{\w+\}/g, "1")}?limit=25&cursor=AT9Xb2rQk0u1mY7c`;
  const known = simpleExample(schema, field);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return ofAlternatives(alternatives, field, making);
  if (schema.enum) return schema.enum.includes(known) ? known : schema.enum[0];
  if (schema.type === "object") return objectOf(schema, field, making);
  if (schema.type === "array") return listOf(schema, field, making);
  if (known === undefined) throw new Error(`No example is known for ${field}: ${JSON.stringify(schema)}.`);
  return known;
}

/** The first, unless the field's name tells of nothing. */
function ofAlternatives(alternatives: readonly JsonSchema[], field: string, making: Making): unknown {
  const mayBeNothing = alternatives.some(({ type }) => type === "null");
  if (mayBeNothing && simpleExample({}, field) === null) return null;
  return exampleOf(alternatives[0] ?? {}, field, making);
}

function listOf(schema: JsonSchema, field: string, making: Making): unknown[] {
  const { minItems = 0, items } = schema;
  const known = simpleExample({ type: "array" }, field);
  if (Array.isArray(known) && minItems === 0) return known;
  return items ? [exampleOf(items, field, making)] : [];
}

function objectOf(schema: JsonSchema, field: string, making: Making): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema;
  const shown = shownFields(schema, making.purpose);
  // Below the top, a body shows what its parts need.
  const below = making.purpose === "change" ? { ...making, purpose: "body" as const } : making;
  const own = Object.fromEntries(shown.map((name) => [name, exampleOf(properties[name] ?? {}, name, below)]));
  const isMap = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
  return isMap && field === "changes"
    ? { ...own, member_id: exampleOf(additionalProperties, "member_id", below) }
    : own;
}

/** Whose a record is does not change, what is deprecated is no example, and to sign is a step of its own. */
const NOT_SHOWN = new Set([
  ...["practice", "patient", "caregiver_practice", "id", "insurance_plan", "insurance_company"],
  ...["signed_by", "signed_date", "sign_date"],
]);

function shownFields({ properties = {}, required = [] }: JsonSchema, purpose: Purpose): string[] {
  if (purpose === "answer") return Object.keys(properties);
  const names = Object.keys(properties).filter((name) => !properties[name]?.readOnly);
  const isSimple = (name: string) => {
    const { type, enum: words, deprecated, not } = properties[name] ?? {};
    const types = [type].flat();
    return !deprecated && !not && (words !== undefined || types.includes("string") || types.includes("boolean"));
  };
  const optional = names.filter((name) => !required.includes(name) && !NOT_SHOWN.has(name) && isSimple(name));
  const changing = optional.filter((name) => !/^patient_|first_name$|last_name$|dob$/.test(name));
  if (purpose === "change" && changing.length > 0) return changing.slice(0, CHANGED_SHOWN);
  // Who reaches several practices has to say whose a record is.
  const practice = purpose === "body" ? names.filter((name) => /^practice(_created)?$/.test(name)) : [];
  const kept = new Set([...required, ...practice, ...optional.slice(0, OPTIONAL_SHOWN)]);
  // No body is of nothing.
  if (kept.size === 0) return names.filter((name) => !NOT_SHOWN.has(name)).slice(0, 1);
  return names.filter((name) => kept.has(name));
}

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What a field holds, in an example: by its name, where its name says it. */
const BY_NAME: Readonly<Record<string, unknown>> = {
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
  group_id: "G-100",
  height: 640,
  id: 1,
  image_rank: 1,
  insurance_plan: 7,
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
  source: "policies_api",
  ssn: "000-00-0000",
  state: "MA",
  status_code: 200,
  target: "https://hooks.example.org/crosswalk",
  timezone: "America/New_York",
  token: "6fJ2kQ0x",
  token_type: "Bearer",
  ttl: 300,
  type: "client",
  url: "http://localhost:3000/api/2.0/card_images/0b0a3a0e-6b64-4d7e-9a57-2f3d1c5e8f10?expires=1795320000&signature=k3vZ9",
  version: 1,
  weekday: 1,
  width: 1_024,
  zip: "02110",
};

const BY_ENDING: readonly [RegExp, unknown][] = [
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

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  "date-time": "2026-01-15T14:30:00.000Z",
  email: "ada.reyes@example.org",
  uri: "https://example.org/records/1",
  uuid: "0b0a3a0e-6b64-4d7e-9a57-2f3d1c5e8f10",
};

/** Texts that fit most patterns: times, decimals, codes. */
const OF_PATTERNS = ["10.00", "09:00:00", "12", "A1", "1.5", "2026-01-15", "1", "a", ""];

/** An example of a simple value; undefined where none is known that fits. */
function simpleExample(schema: JsonSchema, field: string): unknown {
  const candidates = [
    ...(BY_NAME[field] === undefined ? [] : [BY_NAME[field]]),
    ...BY_ENDING.filter(([ending]) => ending.test(field)).map(([, value]) => value),
    ...(schema.format ? [BY_FORMAT[schema.format]] : []),
    // An id, a rank, a number of things: the least that is one.
    ...(schema.minimum === undefined ? [] : [Math.max(schema.minimum, 1), schema.minimum]),
    ...["Example", ...OF_PATTERNS, 1, 0, 30, false, null],
  ];
  return candidates.map((value) => cut(value, schema)).find((value) => fits(value, schema));
}

function cut(value: unknown, { maxLength, pattern, format }: JsonSchema): unknown {
  return typeof value === "string" && !pattern && !format ? value.slice(0, maxLength) : value;
}

/** Whether a simple value is one that a schema takes. */
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

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  email: /^\S+@\S+$/,
  uri: /^https?:\/\//,
  uuid: /^[\da-f-]{36}$/,
};

function formatFits(value: string, format: string): boolean {
  return FORMATS[format]?.test(value) ?? true;
}

function typeOf(value: unknown, types: readonly string[]): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  return types.includes("integer") && Number.isInteger(value) ? "integer" : "number";
}
