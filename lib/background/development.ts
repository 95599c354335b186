import { config } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { startBackground } from "./start";

/** Starts what goes on beside the requests once, however often Next loads this module anew. */
export async function startInDevelopment(): Promise<void> {
  if (config().STREAM_CONSUMER !== "inline") return;
  await processWide("crosswalkConsumer", startBackground);
}
