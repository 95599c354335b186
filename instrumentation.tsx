import type { Instrumentation } from "next";
import { BUSY } from "./lib/platform/errors";
import { markBusy } from "./lib/platform/http/busy-pages";
import { property } from "./lib/platform/objects";

// The name ends in .tsx because the build ignores .ts (next.config.mjs).

/** Starts the background jobs under `next dev`, where the production server does not run. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs" && process.env.NODE_ENV === "development") {
    const { startInDevelopment } = await import("./lib/background/development");
    await startInDevelopment();
  }
}

/** Logs an error of a page with the digest that the page shows. The path is left out, because it can hold patient data. */
export const onRequestError: Instrumentation.onRequestError = async (error, { method, headers }, { routePath }) => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const [digest, request] = [property(error, "digest"), headers["x-request-id"]];
  const isBusy = digest === BUSY;
  // Before the import below, because the response doesn't wait for this hook.
  if (isBusy) markBusy(String(request));
  const { log } = await import("./lib/platform/log");
  const fields = { err: error, digest, request, method, route: routePath };
  if (isBusy) log.warn(fields, "a page could not be shown, because the service is busy");
  else log.error(fields, "a page failed");
};
