// deploy/haproxy/haproxy.cfg in front of servers of two versions: browsers stay with the server that made their page, and API clients don't.
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { findHaproxy, startHaproxy } from "../support/haproxy.mjs";

const VERSIONS = ["old", "new"];

describe.skipIf(!findHaproxy())("a browser and an API client", () => {
  let servers: http.Server[];
  let proxy: Awaited<ReturnType<typeof startHaproxy>>;

  beforeEach(async () => {
    servers = await Promise.all(VERSIONS.map(startVersion));
    const hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
    proxy = await startHaproxy({ port: await freePort(), servers: hosts });
  });
  afterEach(async () => {
    await proxy.stop();
    servers.forEach(stop);
  });

  /** Opens a page. Returns its version, and the cookie of the browser afterwards. */
  async function openPage(cookie = "") {
    const response = await fetch(`${proxy.url}/patients`, { headers: { cookie } });
    const set = response.headers.getSetCookie();
    return { version: await response.text(), set, cookie: set[0]?.split(";", 1)[0] ?? cookie };
  }
  const load = async (path: string, cookie: string) => {
    const response = await fetch(proxy.url + path, { headers: { cookie } });
    return { status: response.status, version: await response.text(), set: response.headers.getSetCookie() };
  };

  test("get the scripts, staff data and next pages from the server of the first page", async () => {
    const browsers = await Promise.all(Array.from({ length: 8 }, () => openPage()));
    expect(new Set(browsers.map(({ version }) => version))).toEqual(new Set(VERSIONS));
    for (const { version, set, cookie } of browsers) {
      expect(set).toEqual([`${cookie}; path=/; HttpOnly; SameSite=Lax`]);
      for (const path of [`/_next/static/${version}.js`, "/api/staff/home", "/patients"])
        expect(await load(path, cookie), path).toEqual({ status: 200, version, set: [] });
    }
  });

  test("are balanced between both servers with the API, which sets no cookie", async () => {
    const { cookie } = await openPage();
    for (const sent of ["", cookie]) {
      const responses = [];
      for (let at = 0; at < 8; at++) responses.push(await load("/api/2.0/patients", sent));
      expect(new Set(responses.map(({ version }) => version))).toEqual(new Set(VERSIONS));
      expect(responses.flatMap(({ set }) => set)).toEqual([]);
    }
  });

  test("use the other server as soon as theirs has stopped", async () => {
    const { version, cookie } = await openPage();
    stop(servers[VERSIONS.indexOf(version)] as http.Server);
    const [other] = VERSIONS.filter((one) => one !== version);
    const next = await openPage(cookie);
    expect(next.version).toBe(other);
    expect(next.cookie).not.toBe(cookie);
    expect(await load(`/_next/static/${other}.js`, next.cookie)).toEqual({ status: 200, version: other, set: [] });
  });
});

/** Starts a server that says its version and has only its own script. */
async function startVersion(version: string): Promise<http.Server> {
  const server = http.createServer((req, res) => {
    const isMissing = req.url?.startsWith("/_next/") && req.url !== `/_next/static/${version}.js`;
    res.writeHead(isMissing ? 404 : 200).end(version);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

function stop(server: http.Server) {
  server.close();
  server.closeAllConnections();
}
