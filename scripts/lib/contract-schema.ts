import { z } from "zod";

/** A schema in the contract. */
export interface Facts {
  ref?: string;
  page_of?: string;
  partial?: boolean;
  type?: string | string[];
  format?: string;
  nullable?: boolean;
  /** Whether an enumeration also takes an empty string. */
  blank?: boolean;
  readOnly?: boolean;
  writeOnly?: boolean;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  items?: Facts;
  fields?: Record<string, Facts>;
  values?: Facts;
  required?: string[];
}

/** The contract's named schemas. */
export type NamedFacts = Readonly<Record<string, Facts>>;

interface JsonSchema {
  type?: string | string[];
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

/** A difference between our schema and the contract. */
export interface Difference {
  /** The path of the field, with `[]` for the entries of a list. */
  at: string;
  problem: string;
}

const DEEPEST = 6;
/** The bounds of an integer for which the contract sets none. */
const INT32 = 2_147_483_647;

/**
 * Compares our schema with the contract: missing and additional fields, required fields, null, types, lengths, bounds and values.
 *
 * @param io whether to compare requests or responses
 */
export function differences(
  ours: z.ZodType,
  contract: Facts,
  { named, io }: { named: NamedFacts; io: "input" | "output" },
): Difference[] {
  const schema = z.toJSONSchema(ours, { io, unrepresentable: "any", reused: "inline" }) as JsonSchema;
  return compare(schema, contract, { at: "", named, io, depth: 0, partial: contract.partial === true });
}

interface Place {
  at: string;
  named: NamedFacts;
  io: "input" | "output";
  depth: number;
  partial: boolean;
}

function compare(given: JsonSchema, facts: Facts, place: Place): Difference[] {
  const { at, named } = place;
  if (place.depth > DEEPEST) return [];
  const contract = facts.ref ? { ...named[facts.ref], ...facts, ref: undefined } : facts;
  if (contract.page_of) return comparePage(given, contract.page_of, place);
  const options = optionsOf(given);
  const own = options.find((option) => option.type !== "null") ?? {};
  const isNullable = options.some((option) => option.type === "null") || Object.keys(own).length === 0;
  const found: Difference[] = [];
  const add = (problem: string) => found.push({ at, problem });
  if (contract.nullable && !isNullable) add("may be null in the contract");
  const isTyped = options.some((option) => option.type === "null");
  if (place.io === "output" && !contract.nullable && isTyped && at !== "") add("may be null, but not in the contract");
  if (contract.enum) {
    const ours = new Set([...(own.enum ?? []), ...("const" in own ? [own.const] : [])]);
    const missing = contract.enum.filter((value) => !ours.has(value));
    const allowed = [...contract.enum, null, ...(contract.blank ? [""] : [])];
    const extra = [...ours].filter((value) => !allowed.includes(value));
    if (missing.length > 0) add(`lacks ${missing.join(", ")}`);
    if (extra.length > 0) add(`also has ${extra.join(", ")}`);
    return found;
  }
  const type = Array.isArray(contract.type) ? undefined : contract.type;
  if (type && type !== "any" && own.type && own.type !== type && !(type === "number" && own.type === "integer")) {
    add(`is ${own.type}, contract: ${type}`);
    return found;
  }
  if (contract.maxLength && own.maxLength !== undefined && own.maxLength < contract.maxLength) {
    add(`has at most ${own.maxLength} characters, contract: ${contract.maxLength}`);
  }
  if (place.io === "input" && type === "integer") {
    const { minimum = -INT32 - 1, maximum = INT32 } = contract;
    if (own.minimum !== undefined && own.minimum > minimum) add(`is at least ${own.minimum}`);
    if (own.maximum !== undefined && own.maximum < maximum) add(`is at most ${own.maximum}`);
  }
  if (contract.items && own.items) {
    found.push(
      ...compare(own.items, contract.items, { ...place, at: `${at}[]`, depth: place.depth + 1, partial: false }),
    );
  }
  if (contract.fields && own.properties) found.push(...compareFields(own, contract, place));
  return found;
}

function compareFields(own: JsonSchema, contract: Facts, place: Place): Difference[] {
  const { at, io, partial } = place;
  const properties = own.properties ?? {};
  const wanted = Object.entries(contract.fields ?? {}).filter(([, field]) =>
    io === "input" ? !field.readOnly : !field.writeOnly,
  );
  const found = wanted.flatMap(([name, field]): Difference[] => {
    const inside = at === "" ? name : `${at}.${name}`;
    const ours = properties[name];
    if (!ours) return [{ at: inside, problem: "is missing" }];
    const rest = compare(ours, field, { ...place, at: inside, depth: place.depth + 1, partial: false });
    const isRequired = own.required?.includes(name) ?? false;
    const shouldBe = !partial && (contract.required?.includes(name) ?? false);
    if (io === "output" || isRequired === shouldBe) return rest;
    return [...rest, { at: inside, problem: isRequired ? "is required" : "is not required" }];
  });
  const extra = Object.keys(properties).filter((name) => !(contract.fields && name in contract.fields));
  return [
    ...found,
    ...extra.map((name) => ({ at: at === "" ? name : `${at}.${name}`, problem: "is not in the contract" })),
  ];
}

function comparePage(given: JsonSchema, entry: string, place: Place): Difference[] {
  const results = given.properties?.results?.items;
  if (!results) return [{ at: place.at, problem: "is not a page of a list" }];
  return compare(results, { ref: entry }, { ...place, at: "results[]" });
}

/** Returns the alternatives of a schema, or the schema itself. */
function optionsOf(schema: JsonSchema): JsonSchema[] {
  if (schema.anyOf) return schema.anyOf.flatMap(optionsOf);
  if (schema.allOf?.[0]) return optionsOf({ ...schema.allOf[0] });
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}
