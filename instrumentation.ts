/** Starts the background jobs under `next dev`, where the production server does not run. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs" && process.env.NODE_ENV === "development") {
    const { startInDevelopment } = await import("./lib/background/development");
    await startInDevelopment();
  }
}
