type Name = `crosswalk${string}`;

// Next bundles route modules apart from the server, so a process has several copies of each module. All copies share globalThis.
const values: { [name: Name]: unknown } = globalThis;

/** Returns the value of this name in the process, created on first use. */
export function processWide<T>(name: Name, create: () => T): T {
  values[name] ??= create();
  return values[name] as T;
}
