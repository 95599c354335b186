// Looking up the addresses of a webhook's host name, and the effect of a name server that doesn't respond.
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { createResolver } from "@/lib/events/webhooks/connect";
import { type DnsServer, startDnsServer } from "../support/dns-server";

const [PUBLIC, PUBLIC_IPV6] = ["93.184.215.14", "2606:2800:21f:cb07::1"] as [string, string];
const NAME = "hooks.example.com";

let server: DnsServer | undefined;
afterEach(() => server?.close());

/** Looks up names for public targets at a local name server. */
async function publicResolver(response: Parameters<typeof startDnsServer>[0]) {
  server = await startDnsServer(response);
  return createResolver({ allowPrivate: false }, [server.address]);
}

test("a public name has the addresses of both families in DNS", async () => {
  const resolve = await publicResolver(({ type }) => (type === "A" ? [PUBLIC, "93.184.215.15"] : [PUBLIC_IPV6]));
  expect(await resolve(NAME)).toEqual([
    { address: PUBLIC, family: 4 },
    { address: "93.184.215.15", family: 4 },
    { address: PUBLIC_IPV6, family: 6 },
  ]);
  expect(server?.questions.map(({ name }) => name)).toEqual([NAME, NAME]);
});

test("a name without addresses resolves to none", async () => {
  expect(await (await publicResolver(() => []))(NAME)).toEqual([]);
});

test("a name server that is silent for one address family does not hide the other", async () => {
  const resolve = await publicResolver(({ type }) => (type === "A" ? [PUBLIC] : null));
  expect(await resolve(NAME)).toEqual([{ address: PUBLIC, family: 4 }]);
});

test("a silent name server times out, and does not delay other lookups or file access", async () => {
  const resolve = await publicResolver(() => null);
  let ended = 0;
  const asking = Array.from({ length: 50 }, (_, index) => resolve(`${index}.${NAME}`).finally(() => ended++));
  await expect.poll(() => server?.questions.length).toBeGreaterThanOrEqual(100);
  expect(await lookup("localhost", { all: true })).not.toEqual([]);
  expect(await readFile(import.meta.filename, "utf8")).toContain(NAME);
  expect(ended).toBe(0);
  expect(await Promise.all(asking)).toEqual(Array(50).fill([]));
});

test("with private addresses allowed, the system resolves names", async () => {
  server = await startDnsServer(() => null);
  const found = await createResolver({ allowPrivate: true }, [server.address])("localhost");
  expect(found.map(({ address }) => address)).toContain("127.0.0.1");
  expect(server.questions).toEqual([]);
});
