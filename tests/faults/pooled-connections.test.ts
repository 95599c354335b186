// What happens to the connections of a pool when their server fails between two requests.
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DatabaseClient } from "@/lib/platform/db/client.mjs";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { OverloadedError } from "@/lib/platform/errors";
import { changeSettings } from "../support/process-state";
import { startTcpProxy } from "../support/tcp-proxy";

const direct = new URL(process.env.DATABASE_URL as string);

/** Returns the URL of the database on other hosts. */
const through = (...places: string[]) => direct.href.replace(direct.host, places.join(","));

const READY = Buffer.from("Z\0\0\0\x05I", "latin1");
const SHUTDOWN = Buffer.from("SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0", "latin1");

/** Returns the message that PostgreSQL sends before it closes a connection. */
function fatalError(): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(SHUTDOWN.length + 4);
  return Buffer.concat([Buffer.from("E"), length, SHUTDOWN]);
}

/** Starts a proxy that can end a connection together with the response to a statement, so that both arrive at once. */
async function startEndingProxy() {
  let isEnding = false;
  const listener = net.createServer((client) => {
    const server = net.connect(Number(direct.port), direct.hostname);
    client.on("error", () => {}).on("close", () => server.destroy());
    server.on("error", () => {}).on("close", () => client.destroy());
    client.pipe(server);
    server.on("data", (part: Buffer) => {
      if (isEnding && part.subarray(-READY.length).equals(READY)) {
        isEnding = false;
        client.end(Buffer.concat([part, fatalError()]));
      } else client.write(part);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    place: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    endNext: () => {
      isEnding = true;
    },
    stop: () => listener.close(),
  };
}

let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
beforeEach(async () => {
  proxy = await startEndingProxy();
});
afterEach(() => proxy.stop());

test("a connection that ends while the pool hands it to the next request fails only that request", async () => {
  await changeSettings({ DATABASE_URL: through(proxy.place), DATABASE_POOL_SIZE: "1" });
  const read = () => db.one<{ one: number }>(sql`SELECT 1 AS one`);
  await read();
  proxy.endNext();
  const first = read();
  // Vitest fails if the error of the connection is uncaught.
  const second = transaction((tx) => tx.one(sql`SELECT 2 AS two`));
  expect(await first).toEqual({ one: 1 });
  await expect(second).rejects.toBeInstanceOf(OverloadedError);
  expect(await read()).toEqual({ one: 1 });
});

test("idle connections to a former primary are closed once a new connection finds another", async () => {
  const former = await startTcpProxy(`http://${direct.host}`);
  const url = through(former.place, direct.host);
  const losses: string[] = [];
  const connect = async () => {
    const client = new DatabaseClient({ connectionString: url });
    client.once("error", ({ message }: Error) => losses.push(message));
    await client.connect();
    return client;
  };
  const idle = [await connect(), await connect()];
  const inTransaction = await connect();
  await inTransaction.query("BEGIN");
  const before = new Set([...idle, inTransaction].map(({ port }) => port));
  expect([...before]).toEqual([Number(former.place.split(":")[1])]);
  former.delayMs = 3_600_000;
  const found = await connect();
  expect(found.port).toBe(Number(direct.port));
  const message = "Connection terminated: another server is the primary now";
  await expect.poll(() => losses).toEqual([message, message]);
  expect((await found.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  await found.end();
  await former.stop();
});
