import { pascal } from "./components";
import { simpleExample } from "./example-values";
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
