// Which fields of described responses have a value in some response.
import type { JsonSchema } from "@/lib/api/openapi/schema";

const REF = "#/components/schemas/";

/** Schemas that hold no fields of the contract's records: pages, dry runs, replays and policies. */
const NO_RECORDS = /^(\w*(Page|Effect|DryRun)|Policy\w*|ReplayResult)\b/;

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Collects the fields of schemas, named `Schema.field.part`, and those that have a value in a response. */
export class CarriedFields {
  readonly #schemas: Schemas;
  readonly #described = new Set<string>();
  readonly #carried = new Set<string>();
  readonly #named = new Set<string>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** Notes the fields of a response. */
  observe(schema: JsonSchema, body: unknown): void {
    this.#walk(schema, body, "");
  }

  /** Lists the described fields without a value in any response. Parts of such a field are left out. */
  missing(): string[] {
    const missing = [...this.#described].filter((field) => !this.#carried.has(field));
    const isPart = (field: string) => missing.some((outer) => field !== outer && field.startsWith(`${outer}.`));
    return missing.filter((field) => !isPart(field)).sort();
  }

  #walk(given: JsonSchema, value: unknown, at: string): void {
    if (given.$ref) {
      const name = given.$ref.slice(REF.length);
      const schema = this.#schemas[name] ?? {};
      // Once, without a value, to note the fields that no response has.
      if (!this.#named.has(name)) {
        this.#named.add(name);
        this.#walk(schema, undefined, name);
      }
      if (value !== undefined) this.#walk(schema, value, name);
      return;
    }
    const alternatives = (given.anyOf ?? given.oneOf ?? given.allOf ?? []) as JsonSchema[];
    for (const schema of alternatives) this.#walk(schema, value, at);
    if (given.items) {
      const entries = Array.isArray(value) ? value : [undefined];
      for (const entry of entries) this.#walk(given.items as JsonSchema, entry, at);
    }
    for (const [name, schema] of Object.entries((given.properties ?? {}) as Schemas)) {
      const field = at === "" ? name : `${at}.${name}`;
      const part = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
      if (at !== "" && !NO_RECORDS.test(at)) this.#described.add(field);
      if (hasValue(part)) this.#carried.add(field);
      this.#walk(schema, part, field);
    }
  }
}

/** Empty texts and lists say as little as null. */
function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}
