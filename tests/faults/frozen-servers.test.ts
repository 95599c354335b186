// Database servers that freeze, or whose machine is lost, at moments when no statement is running.
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DatabaseClient, findServer } from "@/lib/platform/db/client.mjs";
import { openSession } from "@/lib/platform/db/session";
import { within } from "@/lib/platform/within";
import { changeSettings } from "../support/process-state";
import { startTcpProxy } from "../support/tcp-proxy";

const url = process.env.DATABASE_URL as string;
const { host: place } = new URL(url);

/** A server that responds to statements, but never closes a connection. */
let frozen: net.Server;
let frozenPlace = "";

beforeAll(async () => {
  const { hostname, port } = new URL(url);
  frozen = net.createServer({ allowHalfOpen: true }, (client) => {
    const server = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    client.on("error", () => {}).pipe(server, { end: false });
    server.on("error", () => {}).pipe(client, { end: false });
    client.on("close", () => server.destroy());
  });
  await new Promise<void>((resolve) => frozen.listen(0, "127.0.0.1", resolve));
  frozenPlace = `127.0.0.1:${(frozen.address() as AddressInfo).port}`;
});
afterAll(() => {
  frozen.close();
});

/** Returns the URL of several servers, of which the first that accepts writes is used. */
const listOf = (...places: string[]) => url.replace(place, places.join(","));
const portOf = (place: string) => Number(place.split(":")[1]);

test("a server that does not close the connection of the search is found nevertheless", async () => {
  const found = await within(findServer(listOf(frozenPlace, place)), 30_000);
  expect(found).toMatchObject({ port: portOf(frozenPlace) });
});

test("the successor of a server that hangs is found, although it does not close the connection of the search", async () => {
  const proxy = await startTcpProxy(`http://${place}`);
  const client = new DatabaseClient({ connectionString: listOf(proxy.place, frozenPlace) });
  client.on("error", () => {});
  await client.connect();
  expect(client.port).toBe(portOf(proxy.place));
  proxy.delayMs = 3_600_000;
  const failure = client.query("SELECT 1").catch(({ message }: Error) => message);
  expect(await within(failure, 30_000)).toContain("another server is the primary now");
  await proxy.stop();
});

/** Timers of TCP connections by local port, in hundredths of a second. Keepalive has the number 02. */
const KEEPALIVE = /^ *\d+: \w+:(\w+) \w+:\w+ 01 \w+:\w+ 02:(\w+)/gm;

test.runIf(process.platform === "linux")(
  "a session notices within seconds that its server's machine is lost",
  async () => {
    const client = await openSession();
    const { localPort, remoteFamily } = client.connection.stream as net.Socket;
    const connections = fs.readFileSync(`/proc/net/tcp${remoteFamily === "IPv6" ? "6" : ""}`, "utf8");
    const timers = new Map([...connections.matchAll(KEEPALIVE)].map(([, port = "", ticks = ""]) => [port, ticks]));
    const ticks = timers.get(localPort?.toString(16).toUpperCase().padStart(4, "0") ?? "");
    expect(Number.parseInt(ticks ?? "", 16) / 100).toBeLessThanOrEqual(10);
    await client.end();
  },
);

test("a session fails within seconds if its server does not respond", async () => {
  const proxy = await startTcpProxy(`http://${place}`);
  await changeSettings({ DIRECT_DATABASE_URL: url.replace(place, proxy.place) });
  const client = await openSession();
  proxy.delayMs = 3_600_000;
  const failure = client.query("LISTEN any").catch(({ message }: Error) => message);
  expect(await within(failure, 30_000)).toBe("Query read timeout");
  await client.end();
  await proxy.stop();
});
