// Limits per address for requests without credentials, and limits on the calls of a staff account.
import type http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { type Basics, seedBasics } from "../support/api";
import { signInAs } from "../support/staff";

Object.assign(process.env, {
  TRUST_PROXY: "true",
  PUBLIC_URL: "http://localhost:3000",
  ADDRESS_RATE_LIMIT_PER_SECOND: "2",
  STAFF_RATE_LIMIT_PER_SECOND: "3",
});
const ADDRESS_BURST = 20;
const STAFF_BURST = 30;

let basics: Basics;
let server: http.Server;
let base: string;
beforeAll(async () => {
  basics = await seedBasics();
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => {
    res.end("a page");
  };
  server = createServer({ routes: { api: apiRoutes, staff: staffRoutes }, pages, trustProxy: true });
  base = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(() => stopServer(server, 1000));

let hosts = 0;
/** Returns an address that no test has used yet. */
const newAddress = () => `198.51.100.${++hosts}`;

function request(path: string, address: string, { headers, ...init }: RequestInit = {}) {
  return fetch(base + path, { ...init, headers: { "x-forwarded-for": address, ...headers } });
}

/** Counts the responses before the first 429. */
async function countUntilRejected(
  one: () => Promise<Response>,
  most: number,
): Promise<{ before: number; rejected: Response }> {
  for (let before = 0; before <= most; before++) {
    const response = await one();
    if (response.status === 429) return { before, rejected: response };
    await response.arrayBuffer();
  }
  throw new Error(`${most + 1} requests and no 429`);
}

const form = (content: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(content) });
const guess = () => ({ authorization: `Bearer cwt_${Math.random().toString(36).slice(2)}` });

describe("requests without credentials are limited per address:", () => {
  test.each<[string, (address: string) => Promise<Response>]>([
    ["calls without a token", (address) => request("/api/2.0/patients", address)],
    ["guessed tokens", (address) => request("/api/2.0/patients", address, { headers: guess() })],
    [
      "client secrets of many clients",
      (address) =>
        request(
          "/api/2.0/oauth2/token",
          address,
          form({ grant_type: "client_credentials", client_id: crypto.randomUUID(), client_secret: "x" }),
        ),
    ],
    ["the API's description", (address) => request("/api/2.0/openapi.json", address, { method: "HEAD" })],
    ["signed links", (address) => request("/api/2.0/card_images/x?expires=1&signature=y", address)],
    ["staff calls without a session", (address) => request("/api/staff/home", address)],
    ["pages", (address) => request("/sign-in", address)],
    ["missing files of pages", (address) => request("/viewer/nope", address)],
    [
      "files of pages with an unsupported method",
      (address) => request("/viewer/swagger-ui.css", address, { method: "POST" }),
    ],
    [
      "staff calls from a page of another site",
      (address) =>
        request(`/api/staff/practices/${basics.enabled}/migrations`, address, {
          method: "POST",
          headers: { origin: "https://evil.example" },
        }),
    ],
    ["sign-ins", (address) => request("/api/auth/callback/credentials", address, form({ email: "a" }))],
  ])("%s", async (_what, send) => {
    const address = newAddress();
    const { before, rejected } = await countUntilRejected(() => send(address), ADDRESS_BURST * 3);
    expect(before).toBeGreaterThanOrEqual(ADDRESS_BURST);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(rejected.headers.get("x-request-id")).toBeTruthy();
    const text = await rejected.text();
    if (text !== "") expect(JSON.parse(text)).toMatchObject({ code: "rate_limited" });
    expect((await send(newAddress())).status).not.toBe(429);
  });

  test("valid tokens and the files of pages still work from that address", async () => {
    const address = newAddress();
    await countUntilRejected(() => request("/sign-in", address), ADDRESS_BURST * 3);
    const headers = { authorization: `Bearer ${basics.token}` };
    expect((await request("/api/2.0/practices", address, { headers })).status).toBe(200);
    for (const path of ["/_next/static/a.js", "/viewer/swagger-ui.css", "/viewer/swagger-ui-bundle.js"])
      expect([path, (await request(path, address)).status]).toEqual([path, 200]);
  });
});

describe("calls of a staff account", () => {
  test("are limited across its sessions and addresses, without affecting other accounts", async () => {
    const [busy, calm] = [await signInAs("admin", [basics.enabled]), await signInAs("admin", [basics.enabled])];
    const home = (cookie: string, address: string) => request("/api/staff/home", address, { headers: { cookie } });
    const { before, rejected } = await countUntilRejected(() => home(busy.cookie, newAddress()), STAFF_BURST * 3);
    expect(before).toBeGreaterThanOrEqual(STAFF_BURST);
    expect(await rejected.json()).toMatchObject({ code: "rate_limited" });
    expect(rejected.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await home(calm.cookie, newAddress())).status).toBe(200);
  });
});
