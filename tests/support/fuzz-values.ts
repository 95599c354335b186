// Random values from a seed, as hostile as JSON, a query, a path or a header allows.

/** Generates numbers from 0 up to 1, the same for the same seed (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
export const chance = (random: Random, share: number): boolean => random() < share;
export const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** JSON text that is not a JavaScript value: `1e400`, a lone surrogate, a repeated key. */
export class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

export function toJson(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${toJson(one)}`).join()}}`;
}

const nested = (levels: number, [open, close]: readonly [string, string]) => open.repeat(levels) + close.repeat(levels);

const TEXTS = [
  "",
  " ",
  "\t\r\n",
  "0",
  "-1",
  "NaN",
  "null",
  "true",
  "undefined",
  "[object Object]",
  "constructor",
  "__proto__",
  "a\u0000b",
  "\u202eevil",
  "👩‍👩‍👧‍👦".repeat(50),
  "ﷺ".repeat(300),
  "e\u0301".repeat(200),
  "\ufeff",
  "\ufffd",
  "İıſß",
  "𝕏",
  "'; DROP TABLE patient; --",
  "\\",
  "%",
  "%00",
  "%s%n",
  "#{7*7}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "1980-05-17",
  "2020-02-30",
  "0000-00-00",
  "9999-12-31",
  "10000-01-01",
  "-0001-01-01",
  "2021-1-5",
  "infinity",
  "now",
  "epoch",
  "2026-02-30T10:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00+14:00",
  "2026-01-01T24:00:00Z",
  "2026-01-01T23:59:60Z",
  "2026-01-01T10:00:00.123456789Z",
  "294276-12-31T23:59:59Z",
  "-271821-04-20T00:00:00Z",
  "20:00",
  "25:61",
  "America/Nowhere",
  "1e400",
  "0x10",
  "١٢٣",
  "1_000",
  "1,000.50",
  "-0.00",
  ".5",
  "99999999999999999999.99",
  "9007199254740993",
  "a@example.org",
  `${"a".repeat(300)}@example.org`,
  "@",
  "http://127.0.0.1/",
  "http://[::1]/",
  "https://a:b@example.org/",
  "javascript:1",
  "data:image/png;base64,AAAA",
  "====",
  "iVBORw0KGgo=",
  "/9j/4AAQ",
  "apiv2",
  "system/patients.read",
  "Male",
  "primary",
  "MA",
  "00000",
];

const NUMBERS: readonly unknown[] = [
  0,
  -0,
  -1,
  1,
  0.1,
  1.5,
  77,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  1e15,
  1e21,
  1e300,
  5e-324,
  ...[
    "1e400",
    "-1e400",
    "9223372036854775808",
    "123456789012345678901234567890",
    "1E+2",
    "0.30000000000000004",
    "-0.0",
  ].map((json) => new Raw(json)),
];

const STRUCTURES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  [[[1]]],
  [{}],
  { "": "" },
  { id: 1 },
  { length: 2 ** 32 },
  { toString: 1, valueOf: 2 },
  ...[
    '{"__proto__":{"admin":true}}',
    '[{"__proto__":[]},{"constructor":{"prototype":{"x":1}}}]',
    '{"a":1,"a":2}',
    '{"a\\u0000b":1}',
    '{"\\ud800":1}',
    '"\\ud800"',
    '"\\udfff\\ud800x"',
    '"\\u0000"',
    '"a\\u0000"',
    nested(31, ["[", "]"]),
    nested(33, ["[", "]"]),
    `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
    nested(20_000, ["[", "]"]),
  ].map((json) => new Raw(json)),
];

/** Returns a string that has broken programs before, or random characters, sometimes very many. */
export function nastyText(random: Random): string {
  if (chance(random, 0.7)) return pick(random, TEXTS);
  const length = chance(random, 0.05) ? 10 ** (2 + below(random, 4)) : below(random, 40);
  if (length > 100) return pick(random, ["x", "é", "0", "\u{1f600}", " ", '"', "\\"]).repeat(length);
  return Array.from({ length }, () => String.fromCodePoint(codePoint(random))).join("");
}

/** Returns a code point of any plane, without unpaired surrogates. */
function codePoint(random: Random): number {
  const point = below(random, pick(random, [0x80, 0x80, 0x250, 0x3000, 0xffff, 0x110000]));
  return point >= 0xd800 && point <= 0xdfff ? 0x41 : point;
}

/** Returns any value that JSON can represent, and some that it should not. */
export function nastyValue(random: Random, depth = 0): unknown {
  const kind = random();
  if (kind < 0.4) return nastyText(random);
  if (kind < 0.6) return pick(random, NUMBERS);
  if (kind < 0.85 || depth > 3) return pick(random, STRUCTURES);
  const length = below(random, 4);
  if (kind < 0.92) return Array.from({ length }, () => nastyValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length }, () => [nastyText(random).slice(0, 50), nastyValue(random, depth + 1)]),
  );
}

/** Returns the value with one change: replaced, removed, doubled, wrapped, or added. */
export function mutate(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && chance(random, 0.8)) {
    const at = below(random, value.length);
    if (chance(random, 0.1)) return value.filter((_, index) => index !== at);
    if (chance(random, 0.1)) return [...value, ...value];
    if (chance(random, 0.05)) return Array.from({ length: 11_000 }, () => value[at]);
    return value.map((one, index) => (index === at ? mutate(random, one) : one));
  }
  if (isPlain(value) && Object.keys(value).length > 0 && chance(random, 0.9)) {
    const key = pick(random, Object.keys(value));
    const { [key]: one, ...others } = value;
    if (chance(random, 0.08)) return others;
    if (chance(random, 0.08)) return { ...value, [nastyText(random).slice(0, 80)]: nastyValue(random) };
    if (chance(random, 0.05))
      return new Raw(`{${JSON.stringify(key)}:${toJson(nastyValue(random))},${toJson(value).slice(1)}`);
    if (chance(random, 0.05)) return { ...value, [key]: [one, one] };
    return { ...value, [key]: mutate(random, one) };
  }
  return nastyValue(random);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Raw);

/** Converts a string to a header value that HTTP allows: no control characters, bytes as Latin-1. */
export const headerValue = (text: string): string =>
  Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .slice(0, 4_000)
    .trim();
