import type { z } from "zod";
import { toDeclaredForm } from "@/lib/platform/http/lenient";
import type { Difference, Facts, NamedFacts } from "./contract-schema";

type Step = string | number;

/** A value that the contract allows at a place of a body. */
interface Sample {
  path: readonly Step[];
  value: unknown;
}

const DEEPEST = 4;

/**
 * Finds values that the contract allows in a body and we reject: each type in all of its forms, empty enumerations, null, and objects
 * without their optional fields.
 */
export function rejectedInputs(ours: z.ZodType, contract: Facts, named: NamedFacts): Difference[] {
  const facts = resolve(contract, named);
  const base = minimalValue(facts, named);
  const samples = samplesOf(facts, { path: [], named });
  const rejected = samples.flatMap((sample) => {
    const body = withValue(base, sample.path, sample.value);
    const { error } = ours.safeParse(toDeclaredForm(ours, body));
    const isRejected = error?.issues.some(({ path }) => startsWith(path, sample.path));
    const at = sample.path.map((step) => (typeof step === "number" ? "[]" : `.${step}`)).join("");
    return isRejected ? [{ at: at.replace(/^\./, ""), problem: `rejects ${JSON.stringify(sample.value)}` }] : [];
  });
  return [...new Map(rejected.map((one) => [`${one.at} ${one.problem}`, one])).values()];
}

function resolve(facts: Facts, named: NamedFacts): Facts {
  return facts.ref ? { ...named[facts.ref], ...facts, ref: undefined } : facts;
}

/** Lists samples of a value and of the values in it. */
function samplesOf(contract: Facts, { path, named }: { path: readonly Step[]; named: NamedFacts }): Sample[] {
  const facts = resolve(contract, named);
  if (facts.readOnly || path.length > DEEPEST) return [];
  const own = path.length === 0 ? [] : formsOf(facts, named).map((value) => ({ path, value }));
  const fields = Object.entries(facts.fields ?? {}).filter(([, field]) => !field.readOnly);
  return [
    ...own,
    ...fields.flatMap(([name, field]) => samplesOf(field, { path: [...path, name], named })),
    ...(facts.items ? samplesOf(facts.items, { path: [...path, 0], named }) : []),
  ];
}

/** Returns a value in every form that clients of the contract send. */
function formsOf(facts: Facts, named: NamedFacts): unknown[] {
  const forms = [minimalValue(facts, named), ...(FORMS[facts.format ?? ""] ?? FORMS[String(facts.type)] ?? [])];
  return [...(facts.enum ?? forms), ...(facts.nullable ? [null] : []), ...(facts.blank ? [""] : [])];
}

const FORMS: Readonly<Record<string, readonly unknown[]>> = {
  integer: ["1"],
  int64: ["1"],
  number: [1.5, "1", "1.5"],
  double: [1.5, "1", "1.5"],
  decimal: ["1", "1.5", "-1", 1, 1.5],
  "date-time": ["2020-01-01T10:00:00+05:30", "2020-01-01T10:00:00.123456Z"],
  time: ["10:30:00"],
  array: [[]],
};

/** Returns the smallest valid value. */
function minimalValue(contract: Facts, named: NamedFacts): unknown {
  const facts = resolve(contract, named);
  if (facts.enum) return facts.enum[0];
  if (facts.fields || facts.type === "object") {
    const required = Object.entries(facts.fields ?? {}).filter(
      ([name, field]) => facts.required?.includes(name) && !field.readOnly,
    );
    return Object.fromEntries(required.map(([name, field]) => [name, minimalValue(field, named)]));
  }
  if (facts.type === "array") return facts.items ? [minimalValue(facts.items, named)] : [];
  return SMALLEST[facts.format ?? ""] ?? SMALLEST[String(facts.type)] ?? TEXT.slice(0, facts.maxLength);
}

/** Valid as base64, too. */
const TEXT = "abcd";

const SMALLEST: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: false,
  decimal: "0.00",
  date: "2020-01-01",
  "date-time": "2020-01-01T10:00:00Z",
  time: "10:30",
  email: "a@example.org",
  uri: "https://example.org/",
};

/** Returns a copy of a value with another value at a path, which is created if it is missing. */
function withValue(base: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") return [withValue(Array.isArray(base) ? base[step] : undefined, rest, value)];
  const fields = typeof base === "object" && base !== null ? base : {};
  return { ...fields, [step]: withValue(Reflect.get(fields, step), rest, value) };
}

function startsWith(path: readonly PropertyKey[], start: readonly Step[]): boolean {
  return start.every((step, index) => path[index] === step);
}
