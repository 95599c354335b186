// Servers that receive webhooks, on loopback addresses only, and ways to route public names to them.
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { buildConnector } from "undici";
import type { Connect, Resolve } from "@/lib/events/webhooks/connect";
import type { Certificate } from "./certificates";

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  port: number;
  /** Connections so far, and those that are open. */
  connections: number;
  open: Set<net.Socket>;
  requests: ReceivedRequest[];
  /** The server names that TLS connections requested. */
  servernames: SecureSocket["servername"][];
  close: () => Promise<void>;
}

/** A method that Node's types lack. */
interface SecureSocket {
  servername: string | false | null;
}

type Handle = (request: ReceivedRequest, response: http.ServerResponse) => void;

const receivers: Receiver[] = [];

/** Starts an HTTP receiver, or an HTTPS one if a certificate is given. */
export function startReceiver(
  handle: Handle = (_request, response) => response.end(),
  options: { host?: string; certificate?: Certificate } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const listener: http.RequestListener = async (request, response) => {
    const body = await text(request).catch(() => null);
    // The sender disconnected in the middle of the body.
    if (body === null) return;
    const received = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    requests.push(received);
    handle(received, response);
  };
  const server = options.certificate ? https.createServer(options.certificate, listener) : http.createServer(listener);
  return listen(server, requests, options.host);
}

/** Starts a receiver that handles raw connections. */
export function startSocketReceiver(handle: (socket: net.Socket) => void): Promise<Receiver> {
  return listen(net.createServer(handle), []);
}

export async function stopReceivers(): Promise<void> {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
}

async function listen(server: net.Server, requests: ReceivedRequest[], host = "127.0.0.1"): Promise<Receiver> {
  const open = new Set<net.Socket>();
  const close = () => stop(server, open);
  const receiver: Receiver = { port: 0, connections: 0, open, requests, servernames: [], close };
  server.on("connection", (socket: net.Socket) => {
    receiver.connections += 1;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
  });
  server.on("secureConnection", ({ servername }: SecureSocket) => receiver.servernames.push(servername));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  receiver.port = (server.address() as AddressInfo).port;
  receivers.push(receiver);
  return receiver;
}

function stop(server: net.Server, open: Set<net.Socket>): Promise<void> {
  for (const socket of open) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Returns whether this machine has an IPv6 loopback address. */
export async function hasIpv6(): Promise<boolean> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false)).listen(0, "::1", () => server.close(() => resolve(true)));
  });
}

/** Resolves lookups from the script in order, repeating the last entry; `asked` lists the names. */
export function scriptedResolve(...script: string[][]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const addresses = script[Math.min(asked.length, script.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: net.isIP(address) }));
  };
  return Object.assign(resolve, { asked });
}

/** Connects to 127.0.0.1 instead of the given addresses, and records them. */
export function connectToLoopback(ca?: string): Connect & { addresses: string[][] } {
  const seen: string[][] = [];
  const connect: Connect = (addresses, options) => {
    seen.push(addresses.map(({ address }) => address));
    const connector = buildConnector({ ...options, ca });
    return (target, callback) => connector({ ...target, hostname: "127.0.0.1" }, callback);
  };
  return Object.assign(connect, { addresses: seen });
}
