// Loads Next's environment, which must happen before any other module of Next is loaded, and takes back what it does to global functions.
//
// Next wraps the clock, timers and `process.nextTick` for pages rendered ahead with `cacheComponents`, which we don't use. Each
// call then looks up two asynchronous contexts, and `new Date()` is built by reflection. The API calls them many times per request, also
// through Node's streams and pg (ADR 0197).
import timers from "node:timers";

const WRAPPED: readonly (readonly [object, string])[] = [
  [globalThis, "Date"],
  [Date.prototype, "constructor"],
  [globalThis, "setImmediate"],
  [globalThis, "clearImmediate"],
  [timers, "setImmediate"],
  [timers, "clearImmediate"],
  [process, "nextTick"],
];

const originals = WRAPPED.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name) ?? {});
await import("next/dist/server/node-environment.js");
for (const [at, [owner, name]] of WRAPPED.entries()) Object.defineProperty(owner, name, originals[at] ?? {});
