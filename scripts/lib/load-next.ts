import { createRequire } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";

/** The functions of Node.js that Next replaces and an API request calls often, also through streams and pg. */
const REPLACED: readonly (readonly [object, string])[] = [
  [globalThis, "Date"],
  [Date.prototype, "constructor"],
  [globalThis, "setImmediate"],
  [globalThis, "clearImmediate"],
  [timers, "setImmediate"],
  [timers, "clearImmediate"],
  [timersPromises, "setImmediate"],
  [process, "nextTick"],
];

/**
 * Loads Next without its wrappers around the clock and the timers. They only serve `cacheComponents`, which we don't use, and they slow down
 * the API in the same process (ADR 0197). Next's environment must be loaded before the rest of Next, so nothing else may import Next's server.
 *
 * @param dir the project
 */
export async function loadNext(dir: string) {
  const originals = REPLACED.map(([owner, name]) => ({ owner, name, value: Reflect.get(owner, name) as unknown }));
  await import("next/dist/server/node-environment.js");
  for (const { owner, name, value } of originals) Reflect.set(owner, name, value);
  const { default: next } = await import("next");
  // Next prints how long reading its settings took, unless they have been read before.
  const config: typeof import("next/dist/server/config") = createRequire(import.meta.url)("next/dist/server/config");
  await config.default("phase-production-server", dir);
  return next;
}
