import { config } from "@/lib/platform/config";
import { processWide } from "@/lib/platform/objects";
import { startAuditSealer } from "./audit-sealer";
import { startBackground } from "./start";

/** Starts the background work once per process, even if Next.js reloads this module. */
export async function startInDevelopment(): Promise<void> {
  processWide("crosswalkAuditSealer", startAuditSealer);
  if (config().STREAM_CONSUMER !== "inline") return;
  await processWide("crosswalkConsumer", startBackground);
}
