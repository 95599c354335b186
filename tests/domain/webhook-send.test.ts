// Sending webhooks to real servers on loopback addresses, and the outcome of each attempt.
import { afterEach, describe, expect, test } from "vitest";
import { type Attempt, WebhookSender } from "@/lib/events/webhooks/send";
import { type Certificate, createCertificate, unknownIssuer } from "../support/certificates";
import {
  connectToLoopback,
  hasIpv6,
  type Receiver,
  scriptedResolve,
  startReceiver,
  startSocketReceiver,
  stopReceivers,
} from "../support/webhook-receivers";

type Options = ConstructorParameters<typeof WebhookSender>[0];

const NAME = "hooks.example.com";
const HEADERS = { "webhook-id": "an-id", "webhook-timestamp": "1790000000", "webhook-signature": "v1a,AAAA" };
const BODY = '{"data":{"name":"López"}}';
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const senders: WebhookSender[] = [];
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await stopReceivers();
});

function newSender(options: Partial<Options> = {}): WebhookSender {
  const sender = new WebhookSender({
    timeoutMs: 5_000,
    connectionsPerOrigin: 8,
    policy: { allowPrivate: true },
    ...options,
  });
  senders.push(sender);
  return sender;
}

const send = (sender: WebhookSender, url: string) => sender.send({ url, headers: HEADERS, body: BODY });
/** Sends, then waits: a connection becomes free one turn of the event loop after the response. */
const sendAndPause = (sender: WebhookSender, url: string) => send(sender, url).finally(() => sleep(5));
const sendOnce = (url: string, options: Partial<Options> = {}) => send(newSender(options), url);
const local = ({ port }: Receiver, path = "/hooks") => `http://127.0.0.1:${port}${path}`;
const failed = (error: string, status: number | null = null) => ({ status, error, durationMs: expect.any(Number) });
const succeeded = { status: 200, error: null, durationMs: expect.any(Number) };

describe("a webhook", () => {
  test("arrives as signed, with our user agent and content type", async () => {
    const receiver = await startReceiver();
    expect(await sendOnce(local(receiver, "/hooks?a=1&b=%20"))).toEqual(succeeded);
    expect(receiver.requests).toEqual([
      {
        method: "POST",
        url: "/hooks?a=1&b=%20",
        headers: expect.objectContaining({
          ...HEADERS,
          host: `127.0.0.1:${receiver.port}`,
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(BODY)),
          "user-agent": "Crosswalk-Webhooks/1",
        }),
        body: BODY,
      },
    ]);
  });

  test("is sent to localhost as the system resolves it, and to [::1], if private addresses are allowed", async () => {
    const receiver = await startReceiver();
    expect(await sendOnce(`http://localhost:${receiver.port}/`)).toEqual(succeeded);
    if (!(await hasIpv6())) return;
    const other = await startReceiver(undefined, { host: "::1" });
    expect(await sendOnce(`http://[::1]:${other.port}/`)).toEqual(succeeded);
    expect(other.requests).toHaveLength(1);
  });

  test("is sent to the next address of a host name if the first refuses the connection", async () => {
    const receiver = await startReceiver();
    const resolve = scriptedResolve(["::1", "127.0.0.1"]);
    expect(await sendOnce(`http://${NAME}:${receiver.port}/`, { resolve })).toEqual(succeeded);
    expect(resolve.asked).toEqual([NAME]);
  });

  test.each([200, 201, 202, 204, 299])("succeeds if the response has status %i", async (status) => {
    const receiver = await startReceiver((_request, response) => response.writeHead(status).end());
    expect(await sendOnce(local(receiver))).toEqual({ ...succeeded, status });
  });

  test.each([400, 401, 404, 410, 429, 500, 503])("fails if the response has status %i", async (status) => {
    const receiver = await startReceiver((_request, response) => response.writeHead(status).end("a stack, a secret"));
    expect(await sendOnce(local(receiver))).toEqual(failed(`HTTP ${status}.`, status));
  });

  test("reuses one connection for consecutive webhooks", async () => {
    const receiver = await startReceiver((_request, response) => response.end("ok".repeat(1_000)));
    const sender = newSender();
    for (let index = 0; index < 5; index++) expect(await sendAndPause(sender, local(receiver))).toEqual(succeeded);
    expect([receiver.connections, receiver.requests.length]).toEqual([1, 5]);
  });

  test("is sent at the same time as many others, over a limited number of connections", async () => {
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 20));
    const sender = newSender();
    const attempts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => send(sender, local(receiver, `/${index}`))),
    );
    expect(attempts).toEqual(Array(60).fill(succeeded));
    expect(new Set(receiver.requests.map(({ url }) => url)).size).toBe(60);
    expect(receiver.connections).toBeGreaterThan(1);
    expect(receiver.connections).toBeLessThanOrEqual(8);
  });

  test("is sent at the same time as others to its origin, up to the configured number of connections", async () => {
    const waiting: (() => void)[] = [];
    const receiver = await startReceiver((_request, response) => {
      waiting.push(() => response.end());
      if (waiting.length === 40) for (const respond of waiting) respond();
    });
    const sender = newSender({ connectionsPerOrigin: 40 });
    const attempts = await Promise.all(Array.from({ length: 40 }, () => send(sender, local(receiver))));
    expect(attempts).toEqual(Array(40).fill(succeeded));
  });

  test("is not sent later if it times out in the queue, and does not block others", async () => {
    let busy = true;
    const receiver = await startReceiver((_request, response) => (busy ? undefined : response.end()));
    const sender = newSender({ timeoutMs: 300 });
    const attempts = await Promise.all(Array.from({ length: 40 }, () => send(sender, local(receiver))));
    expect(attempts).toEqual(Array(40).fill(failed("No response within 0.3 s.")));
    await sleep(100);
    const sent = receiver.requests.length;
    expect(sent).toBeLessThan(40);
    await sleep(300);
    expect(receiver.requests).toHaveLength(sent);
    busy = false;
    expect(await send(sender, local(receiver))).toEqual(succeeded);
    expect(receiver.requests).toHaveLength(sent + 1);
  });

  test("can be sent to a host name after earlier lookups of it never ended", async () => {
    const receiver = await startReceiver();
    let hanging = true;
    const found = [{ address: "127.0.0.1", family: 4 }];
    const resolve = () => (hanging ? new Promise<typeof found>(() => {}) : Promise.resolve(found));
    const sender = newSender({ timeoutMs: 200, resolve });
    const url = `http://${NAME}:${receiver.port}/`;
    await Promise.all(Array.from({ length: 40 }, () => send(sender, url)));
    hanging = false;
    expect(await send(sender, url)).toEqual(succeeded);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe("an attempt fails with a clear message if", () => {
  test("the connection is refused", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await sendOnce(local(receiver))).toEqual(failed("Connection refused."));
    const resolve = scriptedResolve(["127.0.0.1", "::1"]);
    expect(await sendOnce(`http://${NAME}:${receiver.port}/`, { resolve })).toEqual(failed("Connection refused."));
  });

  test("the host name does not resolve", async () => {
    const refused = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    const error = failed("The host name does not resolve.");
    expect(await sendOnce(`https://${NAME}/`, { resolve: () => Promise.reject(refused) })).toEqual(error);
    expect(await sendOnce(`https://${NAME}/`, { resolve: async () => [] })).toEqual(error);
  });

  test("the host name is not resolved in time", async () => {
    const attempt = await sendOnce(`https://${NAME}/`, { resolve: () => new Promise(() => {}), timeoutMs: 200 });
    expect(attempt).toEqual(failed("No response within 0.2 s."));
    expect(attempt.durationMs).toBeGreaterThanOrEqual(190);
    expect(attempt.durationMs).toBeLessThan(10_000);
  });

  test.each([
    ["before the response", "", null, "The connection was closed before a response arrived."],
    ["in the headers", "HTTP/1.1 200 OK\r\nContent-", null, "The connection was closed before a response arrived."],
    ["in a body of known length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", 200, "response was complete."],
    [
      "in a chunked body",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
      200,
      "response was complete.",
    ],
  ])("the connection ends %s", async (_when, partial, status, error) => {
    for (const end of ["resetAndDestroy", "end"] as const) {
      const receiver = await startSocketReceiver((socket) => {
        socket.once("data", () => socket.write(partial, () => setTimeout(() => socket[end](), 20)));
      });
      const attempt = await sendOnce(local(receiver));
      expect(attempt).toEqual(failed(expect.stringContaining(error) as unknown as string, status));
    }
  });

  test("the connection is closed right after it opens, and is not retried", async () => {
    const receiver = await startSocketReceiver((socket) => socket.destroy());
    const attempt = await sendOnce(local(receiver));
    expect(attempt).toEqual(failed("The connection was closed before a response arrived."));
    expect(receiver.connections).toBe(1);
  });

  test("the response is not HTTP", async () => {
    const receiver = await startSocketReceiver((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    expect(await sendOnce(local(receiver))).toEqual(failed("The response is not valid HTTP."));
  });

  test("the response headers never end", async () => {
    const receiver = await startSocketReceiver((socket) => {
      socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(1_000)}\r\n`.repeat(100)}`));
    });
    expect(await sendOnce(local(receiver))).toEqual(failed("The response headers are too long."));
  });

  test("no response arrives in time, and the connection is closed", async () => {
    const receiver = await startReceiver(() => {});
    expect(await sendOnce(local(receiver), { timeoutMs: 200 })).toEqual(failed("No response within 0.2 s."));
    await expect.poll(() => receiver.open.size).toBe(0);
  });

  test("the TLS handshake does not complete in time, and the connection is closed", async () => {
    const receiver = await startSocketReceiver((socket) => socket.resume());
    const attempt = await sendOnce(`https://127.0.0.1:${receiver.port}/`, { timeoutMs: 200 });
    expect(attempt).toEqual(failed("No response within 0.2 s."));
    await expect.poll(() => receiver.open.size).toBe(0);
  });

  test("the body trickles past the timeout", async () => {
    for (const [status, error] of [
      [200, "The response was not complete within 0.3 s."],
      [500, "HTTP 500."],
    ] as const) {
      const receiver = await startReceiver((_request, response) => {
        response.writeHead(status);
        const timer = setInterval(() => response.write("."), 20);
        response.on("close", () => clearInterval(timer));
      });
      const attempt = await sendOnce(local(receiver), { timeoutMs: 300 });
      expect(attempt).toEqual(failed(error, status));
      expect(attempt.durationMs).toBeLessThan(10_000);
      await expect.poll(() => receiver.open.size).toBe(0);
    }
  });

  test("the sender is closed", async () => {
    const receiver = await startReceiver();
    const sender = newSender();
    await sender.close();
    expect(await send(sender, local(receiver))).toEqual(failed("The sender is closed."));
    expect(receiver.connections).toBe(0);
  });

  test("the request can't be made at all", async () => {
    const receiver = await startReceiver();
    const request = { url: local(receiver), headers: { "webhook-id": "a\r\nb: c" }, body: BODY };
    expect(await newSender().send(request)).toEqual(failed("The request failed."));
    expect(await sendOnce("http://")).toEqual(failed("Must be an absolute URL."));
    expect(receiver.requests).toEqual([]);
  });
});

describe("an endless response body", () => {
  test("is cut off after 64 KiB: only the status counts", async () => {
    let written = 0;
    const receiver = await startReceiver((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on("drain", more);
      more();
    });
    const before = process.memoryUsage().rss;
    const attempts = await Promise.all(Array.from({ length: 8 }, () => sendOnce(local(receiver))));
    expect(attempts).toEqual(Array<Attempt>(8).fill(succeeded as unknown as Attempt));
    await expect.poll(() => receiver.open.size).toBe(0);
    expect(written).toBeLessThan(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test("is cut off even if its length is declared", async () => {
    const receiver = await startReceiver((_request, response) => {
      response.writeHead(200, { "content-length": 10_000_000_000 });
      response.write(Buffer.alloc(1_000_000));
    });
    expect(await sendOnce(local(receiver))).toEqual(succeeded);
  });
});

describe("over TLS", () => {
  const url = ({ port }: Receiver) => `https://${NAME}:${port}/`;
  const resolve = scriptedResolve(["93.184.215.14"]);

  test("the certificate must match the host name, even though the connection is made to an IP address", async () => {
    const certificate = createCertificate({ names: [NAME] });
    const receiver = await startReceiver(undefined, { certificate });
    const connect = connectToLoopback(certificate.cert);
    const sender = newSender({ policy: { allowPrivate: false }, resolve, connect });
    for (let index = 0; index < 3; index++) expect(await sendAndPause(sender, url(receiver))).toEqual(succeeded);
    expect(receiver).toMatchObject({ connections: 1, servernames: [NAME] });
    expect(receiver.requests[0]?.headers.host).toBe(`${NAME}:${receiver.port}`);
  });

  const trusted = (options: Parameters<typeof createCertificate>[0]): [Certificate, string] => {
    const certificate = createCertificate(options);
    return [certificate, certificate.cert];
  };
  test.each<[string, [Certificate, string?]]>([
    ["it is self-signed.", [createCertificate({ names: [NAME] })]],
    [
      "its issuer is not trusted or its chain is incomplete.",
      [createCertificate({ names: [NAME], issuer: unknownIssuer() })],
    ],
    ["it is for another host name.", trusted({ names: ["other.example.com"] })],
    ["it has expired.", trusted({ names: [NAME], fromDays: -2, toDays: -1 })],
    ["it is not valid yet.", trusted({ names: [NAME], fromDays: 1, toDays: 2 })],
  ])("an attempt fails if the certificate is not valid: %s", async (reason, [certificate, trusted]) => {
    const receiver = await startReceiver(undefined, { certificate });
    const attempt = await sendOnce(url(receiver), { resolve, connect: connectToLoopback(trusted) });
    expect(attempt).toEqual(failed(`The TLS certificate is not valid: ${reason}`));
    expect(receiver.requests).toEqual([]);
  });

  test("no environment variable disables verification", async () => {
    const receiver = await startReceiver(undefined, { certificate: createCertificate({ names: [NAME] }) });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const attempt = await sendOnce(url(receiver), { resolve: scriptedResolve(["127.0.0.1"]) });
      expect(attempt).toEqual(failed("The TLS certificate is not valid: it is self-signed."));
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test("an attempt fails if the receiver speaks plain HTTP", async () => {
    const receiver = await startReceiver();
    expect(await sendOnce(`https://127.0.0.1:${receiver.port}/`)).toEqual(failed("The TLS handshake failed."));
  });
});

describe("closing the sender", () => {
  test("lets deliveries in progress finish, and leaves no connection open", async () => {
    const receiver = await startReceiver((_request, response) => setTimeout(() => response.end(), 100));
    const sender = newSender();
    const attempt = send(sender, local(receiver));
    await sleep(20);
    await sender.close();
    expect(await attempt).toEqual(succeeded);
    await expect.poll(() => receiver.open.size).toBe(0);
  });

  test("ends connections that are still being opened, and endless lookups", async () => {
    const receiver = await startSocketReceiver((socket) => socket.resume());
    const sender = newSender({ timeoutMs: 300, resolve: () => new Promise(() => {}) });
    const attempts = [send(sender, `https://127.0.0.1:${receiver.port}/`), send(sender, `https://${NAME}/`)];
    await sleep(20);
    await sender.close();
    expect(await Promise.all(attempts)).toEqual(Array(2).fill(failed("No response within 0.3 s.")));
    await expect.poll(() => receiver.open.size).toBe(0);
  });

  test("is not needed for idle connections, which close after a few seconds", async () => {
    const receiver = await startReceiver();
    await sendOnce(local(receiver));
    expect(receiver.open.size).toBe(1);
    await expect.poll(() => receiver.open.size, { timeout: 8_000 }).toBe(0);
  });
});
