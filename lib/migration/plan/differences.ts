import { isDeepStrictEqual } from "node:util";

/** A difference between two sources. */
export interface Difference {
  /** `patient`, `insurance 12`, `policy 12`, `policy 12 version 1`, `card 1 2`, `record` */
  where: string;
  /** A field, or a part of one: `ssn`, `address.city`, `phones[0].phone` */
  field: string;
  /** The two sources: export, legacy record, policy, version in the history, or image in the store. */
  between: [Side, Side];
  values: [unknown, unknown];
}

export type Side = "export" | "legacy" | "policy" | "version" | "store";

/** The place of a comparison, and its two sources. */
export interface About {
  where: string;
  between: [Side, Side];
}

/** Collects differences. */
export class Differences {
  readonly found: Difference[] = [];

  /** Compares two values as a whole. */
  compare(where: string, field: string, between: [Side, Side], values: [unknown, unknown]): void {
    const [a, b] = [values[0] ?? null, values[1] ?? null];
    if (!isDeepStrictEqual(a, b)) this.found.push({ where, field, between, values: concealed(field, [a, b]) });
  }

  /** Compares two values part by part, so that a difference names the part: `address.city`. */
  compareParts(about: About, field: string, values: [unknown, unknown]): void {
    const [a, b] = [values[0] ?? null, values[1] ?? null];
    if (isDeepStrictEqual(a, b)) return;
    if (Array.isArray(a) && Array.isArray(b)) {
      const longer = a.length > b.length ? a : b;
      for (const at of longer.keys()) this.compareParts(about, `${field}[${at}]`, [a[at], b[at]]);
    } else if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        this.compareParts(about, `${field}.${key}`, [a[key], b[key]]);
      }
    } else this.compare(about.where, field, about.between, [a, b]);
  }

  /** Compares these fields of two records, part by part. */
  compareFields(about: About, fields: Iterable<string>, [a, b]: [object, object]): void {
    for (const field of fields) this.compareParts(about, field, [Reflect.get(a, field), Reflect.get(b, field)]);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Results are printed, stored and shown, so social security numbers show their last four digits only. */
const CONCEALED = /(^|[._])ssn$/;

function concealed(field: string, values: [unknown, unknown]): [unknown, unknown] {
  if (!CONCEALED.test(field)) return values;
  const [a, b] = values.map((value) => (typeof value === "string" && value !== "" ? `***${value.slice(-4)}` : value));
  return [a, b];
}
