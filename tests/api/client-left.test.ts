// A client that disconnects while it sends is not an error of the server, and the log says so.
import type http from "node:http";
import net from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { createServer, listen } from "@/lib/platform/http/server";
import { log } from "@/lib/platform/log";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { signInAs } from "../support/staff";

let basics: Basics;
let server: http.Server;
let port: number;

beforeAll(async () => {
  basics = await seedBasics();
  const pages = async () => {};
  server = createServer({ routes: { api: apiRoutes, staff: staffRoutes }, pages, trustProxy: false });
  port = await listen(server, { port: 0, host: "127.0.0.1" });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
afterEach(() => vi.restoreAllMocks());

/** Sends the head of a request and half of its body, then cuts the connection. */
function leave(method: string, path: string, headers: Record<string, string>, cut: "end" | "reset"): void {
  const lines = Object.entries({ host: `localhost:${port}`, "content-length": "100000", ...headers });
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join("\r\n");
  const socket = net.connect(port, "127.0.0.1", () => {
    socket.write(`${head}\r\n\r\n${JSON.stringify(MARIA).slice(0, -1)}`);
    setTimeout(() => (cut === "end" ? socket.destroy() : socket.resetAndDestroy()), 100);
  });
  socket.on("error", () => {});
}

test.each(["end", "reset"] as const)("an interrupted upload (%s) is logged as a disconnected client", async (cut) => {
  const errors = vi.spyOn(log, "error");
  const lines = vi.spyOn(log, "info");
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const staff = await signInAs("staff", [basics.enabled]);
  const type = { "content-type": "application/json" };
  const own = { cookie: staff.cookie, origin: `http://localhost:${port}`, ...type };
  leave("POST", `/api/2.0/patients/${patient}/policies`, { authorization: `Bearer ${basics.token}`, ...type }, cut);
  leave("POST", `/api/staff/practices/${basics.enabled}/patients/${patient}/policies`, own, cut);
  await vi.waitFor(() => expect(lines).toHaveBeenCalledTimes(2), 5_000);
  expect(lines.mock.calls.map(([line]) => line)).toMatchObject([{ status: 499 }, { status: 499 }]);
  expect(errors).not.toHaveBeenCalled();
});
