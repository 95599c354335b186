import { config } from "@/lib/platform/config";
import { startBackground } from "./start";

const shared = globalThis as { crosswalkConsumer?: Promise<unknown> };

/** Starts what goes on beside the requests once, however often Next loads this module anew. */
export async function startInDevelopment(): Promise<void> {
  if (config().STREAM_CONSUMER !== "inline") return;
  shared.crosswalkConsumer ??= startBackground();
  await shared.crosswalkConsumer;
}
