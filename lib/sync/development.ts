import { config } from "@/lib/config";
import { startBackground } from "./background";

const shared = globalThis as { crosswalkConsumer?: Promise<unknown> };

/** Starts the stream's consumer once, however often Next loads this module anew. */
export async function startInDevelopment(): Promise<void> {
  if (config().STREAM_CONSUMER !== "inline") return;
  shared.crosswalkConsumer ??= startBackground();
  await shared.crosswalkConsumer;
}
