import { countCharacters } from "@/lib/insurance/fields/limits";
import type { JsonSchema } from "./schema";

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
export function simpleExample(schema: JsonSchema, field: string): unknown {
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
