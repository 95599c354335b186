// A bucket that stores objects, answers with an error or hangs, as a test decides.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface SlowBucket {
  /** The settings of a process that writes anchors to it. */
  settings: Record<string, string>;
  /** Contents by key. */
  objects: Map<string, string>;
  /** The keys of the requests, in their order. */
  requests: string[];
  /** Each new request waits for it before the object is stored. */
  hold: Promise<void> | null;
  stop(): Promise<void>;
}

export async function startSlowBucket(): Promise<SlowBucket> {
  const server = createServer(async (request, response) => {
    const { hold } = bucket;
    const key = decodeURIComponent(new URL(request.url ?? "/", "http://bucket").pathname).replace("/anchors/", "");
    const body = await text(request);
    bucket.requests.push(key);
    await hold;
    bucket.objects.set(key, body);
    response.writeHead(200, { etag: '"0"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bucket: SlowBucket = {
    settings: {
      AUDIT_ANCHORS: "s3://anchors/audit/",
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      S3_REGION: "us-east-1",
      S3_FORCE_PATH_STYLE: "true",
      S3_ACCESS_KEY_ID: "tests",
      S3_SECRET_ACCESS_KEY: "tests",
    },
    objects: new Map(),
    requests: [],
    hold: null,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return bucket;
}
