import type { Instrumentation } from "next";

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
  const [{ log }, { property }] = await Promise.all([import("./lib/platform/log"), import("./lib/platform/objects")]);
  const fields = { digest: property(error, "digest"), request: headers["x-request-id"], method, route: routePath };
  log.error({ err: error, ...fields }, "a page failed");
};
