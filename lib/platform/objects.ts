// Standard library functions that TypeScript types too loosely. Each needs one cast.

/** Returns the keys of an object that has no others. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[];
}

/** Returns an object with a value for each key. */
export function fromKeys<K extends string, V>(keys: readonly K[], valueFor: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueFor(key)])) as Record<K, V>;
}

/** Returns an object with these fields alone. */
export function pick<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, object[key]])) as Pick<T, K>;
}

/** Returns a property of a value of any type, such as something that was thrown. */
export function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns what was thrown as an Error: itself, unless it is something else. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

type Name = `crosswalk${string}`;

// Next bundles route modules apart from the server, so a process has several copies of each module. All copies share this Map. Looking up
// a name in it is faster than in globalThis, which has hundreds of properties.
const shared: { crosswalkValues?: Map<Name, unknown>; [name: Name]: unknown } = globalThis;

/** Returns the value of this name in the process, created on first use. */
export function processWide<T>(name: Name, create: () => T): T {
  shared.crosswalkValues ??= new Map();
  const existing = shared.crosswalkValues.get(name);
  if (existing !== undefined) return existing as T;
  const created = create();
  shared.crosswalkValues.set(name, created);
  return created;
}

/** Returns whether the process has a value of this name. */
export function hasProcessWide(name: Name): boolean {
  return shared.crosswalkValues?.has(name) ?? false;
}

/** Groups rows by a key, in order. */
export function groupBy<K, R>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
