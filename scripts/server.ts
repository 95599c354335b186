// The server. scripts/start.mjs loads it from the build (build/server.mjs). `node build/server.mjs` runs it alone if DATABASE_URL and
// SECRET_KEY are set and migrations are applied.
import http from "node:http";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import compression from "compression";
import { apiRoutes } from "@/generated/api-routes";
import { probeRoutes } from "@/generated/probe-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { flushSecurityEvents } from "@/lib/access/audit/security-commands";
import { flushClientUse } from "@/lib/access/clients/authenticate";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { startMetrics } from "@/lib/background/metrics";
import { startBackground } from "@/lib/background/start";
import { config, exposureWarnings, publicOrigin } from "@/lib/platform/config";
import { closePool, fillPool, fillReplicaPool, pool } from "@/lib/platform/db/pool";
import { toOverloaded } from "@/lib/platform/db/sql";
import { builtFiles, isBuiltFile } from "@/lib/platform/http/built-files";
import { openLimits } from "@/lib/platform/http/client-limits";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { log } from "@/lib/platform/log";
import { announceStop } from "@/lib/platform/readiness";
import { startTracing } from "@/lib/platform/tracing";
import { flushLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { warnOfExcessRights } from "./lib/grants.mjs";
import { loadNext } from "./lib/load-next";
import { logUnhandled } from "./lib/log-unhandled";
import { GRACE_MS, stopOnSignal } from "./lib/stop-on-signal";

/**
 * How far V8 lets the heap grow before it collects garbage, in percent of the memory in use. By default, the heap grows to several times
 * its size on a machine with much memory, and a large upload would take 200 MiB more than it needs.
 */
const HEAP_GROWTH_PERCENT = 30;
const ROOT = path.resolve(import.meta.dirname, "..");

export interface RunningServer {
  port: number;
  /**
   * Waits STOP_DELAY_MS for load balancers to notice, and up to 10 s for running requests. Then stops background work and closes the
   * connections.
   */
  stop: () => Promise<void>;
}

/** Serves the API and the pages with the settings of the environment. Rejects with EADDRINUSE if the port is in use. */
export async function serve(): Promise<RunningServer> {
  const { PORT, HOST, TRUST_PROXY, STREAM_CONSUMER, STOP_DELAY_MS } = config();
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  // Next would end the process 50 ms after a SIGTERM.
  process.env.NEXT_MANUAL_SIG_HANDLE = "1";
  // next-auth reads its own address from the environment.
  process.env.NEXTAUTH_URL = publicOrigin();
  const next = await loadNext(ROOT);
  logUnhandled();
  // Next adds an upgrade listener to its server, which would bypass our limits. It gets a server that never listens.
  const app = next({ dev: false, dir: ROOT, port: PORT, quiet: true, httpServer: http.createServer() });
  await app.prepare();
  logUnhandled();
  // Afterwards, so that Next's start makes no spans.
  const tracing = await startTracing("crosswalk-server");
  const handle = app.getRequestHandler();
  const sendFile = builtFiles(path.join(ROOT, ".next"));
  const compress = compression();
  const server = createServer({
    routes: { api: apiRoutes, staff: staffRoutes, probes: probeRoutes },
    pages: async (req, res) => {
      if (isBuiltFile(req.url)) return sendFile(req, res);
      // Typed for Express, but it works with plain requests and responses.
      compress(req as Parameters<typeof compress>[0], res as Parameters<typeof compress>[1], () => {});
      return handle(req, res);
    },
    trustProxy: TRUST_PROXY,
  });
  await fillPool();
  // The server is ready without it.
  void fillReplicaPool();
  const metrics = await startMetrics();
  const limits = await openLimits();
  const port = await listen(server, { port: PORT, host: HOST });
  const background = STREAM_CONSUMER === "inline" ? await startBackground() : null;
  const sealer = startAuditSealer();
  log.info({ port }, "listening");
  for (const warning of exposureWarnings(config())) log.warn(warning);
  return {
    port,
    async stop() {
      announceStop();
      await pause(STOP_DELAY_MS);
      await stopServer(server, GRACE_MS);
      // Together, so that counts are stored even if the process is killed because background work takes long.
      await Promise.all([background?.stop(), flushCounts()]);
      await app.close();
      await metrics.stop();
      await sealer.stop();
      limits.close();
      await closePool();
      await tracing.stop();
    },
  };
}

/** Stores what requests have counted in memory. */
async function flushCounts(): Promise<void> {
  await flushLegacyUse();
  await flushClientUse();
  await flushSecurityEvents();
}

async function runAlone(): Promise<void> {
  const starting = serve();
  stopOnSignal(async () => (await starting).stop());
  await starting;
  // `npm start` prints this warning itself.
  const warning = await warnOfExcessRights(pool()).catch((error: unknown) => {
    if (toOverloaded(error) === null) throw error;
    return "The privileges of the server's database role could not be checked, because the database is not available.";
  });
  if (warning) log.warn(warning);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  runAlone().catch((error: Error) => {
    console.error(`✗ ${error.message}`);
    process.exit(1);
  });
}
