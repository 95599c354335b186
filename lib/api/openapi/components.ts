import { type Direction, mapParts } from "./json-schema";
import type { JsonSchema, Parameter, Reference } from "./schema";

/** A repeated enum with more values than this gets a name. */
const MAX_UNNAMED_VALUES = 6;
/** A repeated object with at least this many fields gets a name. */
const MIN_NAMED_FIELDS = 2;

/** Converts a name to the case of component names: `place_of_service` becomes `PlaceOfService`. */
export function pascal(name: string): string {
  return name.replaceAll(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, _between, letter: string) => letter.toUpperCase());
}

/**
 * Collects the schemas of a document by name, so that each is in it once. A schema is named by its title. One without a title
 * that is used in several places is named by the field that holds it.
 */
export class SchemaNames {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #texts: Record<string, string> = {};

  /** Replaces the parts of a schema that have a title by references. If input and output differ, the input is named `…Input`. */
  name(schema: JsonSchema, direction: Direction): JsonSchema {
    const mapped = mapParts(schema, (part) => this.name(part, direction));
    const { title, ...unnamed } = mapped;
    return title === undefined ? mapped : this.#add(unnamed, [title, ...(direction === "in" ? [`${title}Input`] : [])]);
  }

  #add(schema: JsonSchema, names: readonly string[]): JsonSchema {
    const text = JSON.stringify(schema);
    const name = names.find((one) => (this.#texts[one] ?? text) === text);
    if (name === undefined)
      throw new Error(`Different schemas of the OpenAPI document have the same name: ${names.join(", ")}.`);
    this.schemas[name] = schema;
    this.#texts[name] = text;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Names the parts of named schemas that are used twice and have no name. */
  nameRepeated(): void {
    const counts = new Map<string, number>();
    const texts = new WeakMap<JsonSchema, string>();
    const countSchema = (schema: JsonSchema): JsonSchema => {
      mapParts(schema, countSchema);
      if (!isWorthNaming(schema)) return schema;
      const text = JSON.stringify(schema);
      texts.set(schema, text);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return schema;
    };
    const named = Object.entries(this.schemas);
    for (const [, schema] of named) mapParts(schema, countSchema);
    const known = new Map<string, JsonSchema>();
    const replace = (schema: JsonSchema, field: string, holder: string): JsonSchema => {
      const text = texts.get(schema) ?? "";
      const earlier = known.get(text);
      if (earlier) return earlier;
      const mapped = mapParts(schema, (part, name) => replace(part, name || field, holder));
      if ((counts.get(text) ?? 0) < 2) return mapped;
      const reference = this.#add(mapped, [pascal(field), `${holder}${pascal(field)}`, `${holder}${pascal(field)}2`]);
      known.set(text, reference);
      return reference;
    };
    for (const [holder, schema] of named) {
      this.schemas[holder] = mapParts(schema, (part, field) => replace(part, field, holder));
    }
  }
}

function isWorthNaming(schema: JsonSchema): boolean {
  if (schema.type === "object") return Object.keys(schema.properties ?? {}).length >= MIN_NAMED_FIELDS;
  return (schema.enum?.length ?? 0) > MAX_UNNAMED_VALUES;
}

/** Returns the parameters that several operations share, by name, and replaces them in the lists by references. */
export function shareParameters(lists: readonly (Parameter | Reference)[][]): Record<string, Parameter> {
  const counts = new Map<string, number>();
  for (const parameter of lists.flat()) {
    const text = JSON.stringify(parameter);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shared: Record<string, Parameter> = {};
  for (const list of lists) {
    for (const [index, parameter] of list.entries()) {
      if ("$ref" in parameter) continue;
      const text = JSON.stringify(parameter);
      const name = `${pascal(parameter.in)}${pascal(parameter.name)}`;
      if ((counts.get(text) ?? 0) < 2 || JSON.stringify(shared[name] ?? parameter) !== text) continue;
      shared[name] = parameter;
      list[index] = { $ref: `#/components/parameters/${name}` };
    }
  }
  return shared;
}
