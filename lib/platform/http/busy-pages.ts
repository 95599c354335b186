import type { ServerResponse } from "node:http";
import { processWide } from "@/lib/platform/objects";

/** The IDs of requests whose page failed because the service is busy. Next bundles the hook that adds them apart from the server. */
export const busyPages = () => processWide("crosswalkBusyPages", () => new Set<string>());

/**
 * Makes the response to a page a 503 if the service is busy, such as during a failover. Next responds with 500 to each failure, and proxies and
 * operators would take it for a defect.
 */
export function replaceBusyStatus(res: ServerResponse, requestId: string): void {
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  res.writeHead = ((status: number, ...rest: unknown[]) => {
    if (status !== 500 || !busyPages().has(requestId)) return writeHead(status, ...rest);
    res.setHeader("retry-after", "1");
    return writeHead(503, ...rest);
  }) as ServerResponse["writeHead"];
  res.once("close", () => busyPages().delete(requestId));
}
