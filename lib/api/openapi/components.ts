import { mapParts, type Way } from "./json-schema";
import type { JsonSchema, Parameter, Reference } from "./schema";

/** Lists of words longer than this are worth a name where they come up twice. */
const LONG_LIST = 6;
const MANY_FIELDS = 2;

/** A name as schemas are called: `place_of_service` is `PlaceOfService`. */
export function pascal(name: string): string {
  return name.replaceAll(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, _between, letter: string) => letter.toUpperCase());
}

/**
 * The schemas of a description by name, so that each stands in it once. What has a title is called by it; what has none and
 * comes up in several places is called by the field that holds it.
 */
export class SchemaNames {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #textOf: Record<string, string> = {};

  /** Takes what has a title out of a schema. A shape that differs on its way in is another schema, `…Input`. */
  name(schema: JsonSchema, way: Way): JsonSchema {
    const mapped = mapParts(schema, (part) => this.name(part, way));
    const { title, ...unnamed } = mapped;
    return title === undefined ? mapped : this.#keep(unnamed, [title, ...(way === "in" ? [`${title}Input`] : [])]);
  }

  #keep(schema: JsonSchema, names: readonly string[]): JsonSchema {
    const text = JSON.stringify(schema);
    const name = names.find((one) => (this.#textOf[one] ?? text) === text);
    if (name === undefined) throw new Error(`Two schemas of the API description are called ${names.join(", ")}.`);
    this.schemas[name] = schema;
    this.#textOf[name] = text;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Gives a name to what comes up twice without one, in the schemas that have names. */
  nameRepeated(): void {
    const counts = new Map<string, number>();
    const texts = new WeakMap<JsonSchema, string>();
    const count = (schema: JsonSchema): JsonSchema => {
      mapParts(schema, count);
      if (!isWorthAName(schema)) return schema;
      const text = JSON.stringify(schema);
      texts.set(schema, text);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return schema;
    };
    const named = Object.entries(this.schemas);
    for (const [, schema] of named) mapParts(schema, count);
    const known = new Map<string, JsonSchema>();
    const replace = (schema: JsonSchema, field: string, holder: string): JsonSchema => {
      const text = texts.get(schema) ?? "";
      const before = known.get(text);
      if (before) return before;
      const mapped = mapParts(schema, (part, name) => replace(part, name || field, holder));
      if ((counts.get(text) ?? 0) < 2) return mapped;
      const reference = this.#keep(mapped, [pascal(field), `${holder}${pascal(field)}`, `${holder}${pascal(field)}2`]);
      known.set(text, reference);
      return reference;
    };
    for (const [holder, schema] of named) {
      this.schemas[holder] = mapParts(schema, (part, field) => replace(part, field, holder));
    }
  }
}

function isWorthAName(schema: JsonSchema): boolean {
  if (schema.type === "object") return Object.keys(schema.properties ?? {}).length >= MANY_FIELDS;
  return (schema.enum?.length ?? 0) > LONG_LIST;
}

/** The parameters that several operations have in common, by name, each standing once in the description. */
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
