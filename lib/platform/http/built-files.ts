import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

const PREFIX = "/_next/static";
/** Next adds a hash of the content to the names of these files. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

/**
 * Returns a listener that sends the built files of pages. The build has compressed them (`scripts/lib/compress.mjs`): Next would compress
 * each file again for each request, and only with gzip.
 *
 * @param buildFolder Next's folder, `.next`
 */
export function builtFiles(buildFolder: string): ReturnType<typeof getRequestListener> {
  const app = new Hono();
  app.get(
    `${PREFIX}/*`,
    serveStatic({
      root: path.join(buildFolder, "static"),
      rewriteRequestPath: (file) => file.slice(PREFIX.length),
      precompressed: true,
      onFound: (_file, { header }) => {
        header("cache-control", CACHE_CONTROL);
        header("x-content-type-options", "nosniff");
        header("strict-transport-security", "max-age=31536000");
      },
    }),
  );
  return getRequestListener(app.fetch, { hostname: "localhost" });
}

/** Returns whether the path of a request is that of a built file. */
export const isBuiltFile = (url: string | undefined) => url?.startsWith(`${PREFIX}/`) ?? false;
