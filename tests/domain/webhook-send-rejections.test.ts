// No webhook reaches a forbidden address: by literal, by name, by redirect or by a name that changes.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Connect } from "@/lib/events/webhooks/connect";
import { WebhookSender } from "@/lib/events/webhooks/send";
import { createCertificate } from "../support/certificates";
import {
  connectToLoopback,
  hasIpv6,
  type Receiver,
  scriptedResolve,
  startReceiver,
  stopReceivers,
} from "../support/webhook-receivers";

type Options = ConstructorParameters<typeof WebhookSender>[0];

const NAME = "hooks.example.com";
const [PUBLIC, PUBLIC_IPV6] = ["93.184.215.14", "2606:2800:21f:cb07::1"] as [string, string];

/** Records connection requests, and opens none. */
let connections: string[][] = [];
const neverConnect: Connect = (addresses) => {
  connections.push(addresses.map(({ address }) => address));
  return (_target, callback) => callback(new Error("not in this test"), null);
};

const senders: WebhookSender[] = [];
beforeEach(() => {
  connections = [];
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await stopReceivers();
});

function sendWith(options: Partial<Options>) {
  const sender = new WebhookSender({
    timeoutMs: 5_000,
    connectionsPerOrigin: 8,
    policy: { allowPrivate: false },
    ...options,
  });
  senders.push(sender);
  return (url: string) => sender.send({ url, headers: {}, body: "{}" });
}

const rejected = (error: RegExp) => ({
  status: null,
  error: expect.stringMatching(error),
  durationMs: expect.any(Number),
});
const succeeded = { status: 200, error: null, durationMs: expect.any(Number) };

describe("without private addresses", () => {
  test.each([
    "127.0.0.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::127.0.0.1]",
    "localhost",
    "localhost.",
    "a.localhost",
  ])("a webhook to %s makes no connection", async (host) => {
    const receiver = await startReceiver();
    const other = (await hasIpv6()) ? await startReceiver(undefined, { host: "::1" }) : receiver;
    // A loopback server would respond to any request that gets through.
    const connect = connectToLoopback();
    for (const { port } of [receiver, other])
      expect(await sendWith({ connect })(`https://${host}:${port}/`)).toEqual(
        rejected(/^\S+( \(127\.0\.0\.1\))? is a (loopback|reserved) address; |^\S+ is a local name; /),
      );
    expect(await sendWith({ connect })(`http://${host}:${receiver.port}/`)).toEqual(
      rejected(/^Must be an https URL\.$/),
    );
    expect(connect.addresses).toEqual([]);
    expect([receiver.connections, other.connections]).toEqual([0, 0]);
  });

  test("a name for a forbidden address makes no connection, and the address is not revealed", async () => {
    const receiver = await startReceiver();
    for (const addresses of [["127.0.0.1"], ["::ffff:127.0.0.1"], [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC_IPV6]]) {
      const resolve = scriptedResolve(addresses);
      const attempt = await sendWith({ resolve, connect: neverConnect })(`https://${NAME}:${receiver.port}/`);
      expect(attempt).toEqual(
        rejected(/^The host name resolves to a loopback address; webhooks are only sent to public addresses\.$/),
      );
      expect(resolve.asked).toEqual([NAME]);
    }
    expect(connections).toEqual([]);
    expect(receiver.connections).toBe(0);
  });

  test("the connection goes to the checked addresses, after one lookup", async () => {
    const certificate = createCertificate({ names: [NAME] });
    const receiver = await startReceiver(undefined, { certificate });
    const connect = connectToLoopback(certificate.cert);
    const resolve = scriptedResolve([PUBLIC, PUBLIC_IPV6], ["127.0.0.1"]);
    expect(await sendWith({ resolve, connect })(`https://${NAME}:${receiver.port}/`)).toEqual(succeeded);
    expect(resolve.asked).toEqual([NAME]);
    expect(connect.addresses).toEqual([[PUBLIC, PUBLIC_IPV6]]);
  });

  test("a name that becomes private after its first connection gets no second one", async () => {
    const certificate = createCertificate({ names: [NAME] });
    const receiver = await startReceiver(
      (_request, response) => response.writeHead(200, { connection: "close" }).end(),
      { certificate },
    );
    const connect = connectToLoopback(certificate.cert);
    const resolve = scriptedResolve([PUBLIC], ["10.0.0.5"]);
    const send = sendWith({ resolve, connect });
    expect(await send(`https://${NAME}:${receiver.port}/`)).toEqual(succeeded);
    expect(await send(`https://${NAME}:${receiver.port}/`)).toEqual(rejected(/resolves to a private address/));
    expect(resolve.asked).toEqual([NAME, NAME]);
    expect(connect.addresses).toEqual([[PUBLIC]]);
    expect(receiver.connections).toBe(1);
  });

  test("a literal public address is connected to directly", async () => {
    const send = sendWith({ resolve: () => Promise.reject(new Error("asked")), connect: neverConnect });
    await send(`https://${PUBLIC}/`);
    await send(`https://[${PUBLIC_IPV6}]/`);
    expect(connections).toEqual([[PUBLIC], [PUBLIC_IPV6]]);
  });
});

describe("with private addresses", () => {
  const policy = { allowPrivate: true };

  test.each([
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.254.169.254.",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::]",
    "[::169.254.169.254]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
  ])("a webhook to %s still makes no connection", async (host) => {
    for (const scheme of ["http", "https"])
      expect(await sendWith({ policy, connect: neverConnect })(`${scheme}://${host}/latest/meta-data`)).toEqual(
        rejected(/ is a (link-local|cloud metadata|reserved) address; webhooks are never sent there\.$/),
      );
    expect(connections).toEqual([]);
  });

  test("a name for such an address makes no connection", async () => {
    for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1%eth0", "fd00:ec2::254"]) {
      const resolve = scriptedResolve(["127.0.0.1", address]);
      const attempt = await sendWith({ policy, resolve, connect: neverConnect })(`http://${NAME}/`);
      expect(attempt).toEqual(rejected(/^The host name resolves to a .* address; webhooks are never sent there\.$/));
    }
    expect(connections).toEqual([]);
  });
});

describe("a redirect", () => {
  const policy = { allowPrivate: true };
  const redirecting = (location: string, status = 302) =>
    startReceiver((_request, response) => response.writeHead(status, { location }).end());
  const url = ({ port }: Receiver) => `http://127.0.0.1:${port}/`;

  test.each([300, 301, 302, 303, 304, 307, 308])("is a failure and not followed: status %i", async (status) => {
    const other = await startReceiver();
    const receiver = await redirecting(`${url(other)}?token=secret`, status);
    expect(await sendWith({ policy })(url(receiver))).toEqual({
      status,
      error: `HTTP ${status}: redirects are not followed.`,
      durationMs: expect.any(Number),
    });
    expect(other.connections).toBe(0);
  });

  test("makes no connection to a metadata service", async () => {
    const receiver = await redirecting("http://169.254.169.254/latest/meta-data");
    const connect = connectToLoopback();
    expect(await sendWith({ policy, connect })(url(receiver))).toMatchObject({ status: 302 });
    expect(connect.addresses).toEqual([["127.0.0.1"]]);
    expect(receiver.requests).toHaveLength(1);
  });
});
