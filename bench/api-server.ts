// The server without pages, so that a benchmark needs no build of Next.js. It listens on PORT or on a free port, prints it, and runs until
// it gets SIGTERM.
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { startBackground } from "@/lib/background/start";
import { config } from "@/lib/platform/config";
import { closePool, fillPool } from "@/lib/platform/db/pool";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";

const server = createServer({
  routes: { api: apiRoutes, staff: staffRoutes },
  pages: async (_request, response) => {
    response.writeHead(404).end();
  },
  trustProxy: false,
});
await fillPool();
const port = await listen(server, { port: Number(process.env.PORT ?? 0), host: "127.0.0.1" });
const background = config().STREAM_CONSUMER === "inline" ? await startBackground() : null;
const sealer = startAuditSealer();
process.stdout.write(`${port}\n`);
process.once("SIGTERM", async () => {
  await stopServer(server, 1_000);
  await background?.stop();
  await sealer.stop();
  await closePool();
  process.exit(0);
});
