import type { ServerResponse } from "node:http";
import { processWide } from "@/lib/platform/objects";

/** Whether a page failed because the service is busy, by the ID of its request. Process-wide, because Next bundles `instrumentation.tsx` separately. */
const pages = () => processWide("crosswalkBusyPages", () => new Map<string, boolean>());

/** Notes that the page of a request failed because the service is busy. */
export function markBusy(requestId: string): void {
  if (pages().has(requestId)) pages().set(requestId, true);
}

/**
 * Makes the response to a page a 503 if the service is busy, such as during a failover. Next responds with 500 to each failure, and proxies and
 * operators would take it for a defect.
 */
export function replaceBusyStatus(res: ServerResponse, requestId: string): void {
  pages().set(requestId, false);
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = ((status: number, ...rest: unknown[]) => {
    if (status !== 500 || !pages().get(requestId)) return writeHead(status, ...rest);
    res.setHeader("retry-after", "1");
    return writeHead(503, ...rest);
  }) as ServerResponse["writeHead"];
  res.once("close", () => pages().delete(requestId));
}
