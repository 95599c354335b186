/** Under `next dev` there is no server of ours: the stream's consumer starts with Next. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs" && process.env.NODE_ENV === "development") {
    const { startInDevelopment } = await import("./lib/background/development");
    await startInDevelopment();
  }
}
