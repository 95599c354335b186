// A TCP proxy in front of a server, which can delay responses or refuse connections.
import net, { type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

export interface TcpProxy {
  /** `host:port` */
  place: string;
  /** Delays each part of a response. */
  delayMs: number;
  /** Closes all connections, and each new one. */
  refuse: (isRefusing: boolean) => void;
  stop: () => Promise<void>;
}

/** Starts a proxy for the server of a URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<net.Socket>();
  let isRefusing = false;
  const closeAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const listener = net.createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const server = net.connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket
        .on("error", () => {})
        .on("close", () => {
          open.delete(socket);
          other.destroy();
        });
    }
    client.pipe(server);
    void forward(server, client);
  });
  const proxy: TcpProxy = {
    place: "",
    delayMs: 0,
    refuse(refusing) {
      isRefusing = refusing;
      if (refusing) closeAll();
    },
    stop: () => {
      closeAll();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  const forward = async (server: net.Socket, client: net.Socket) => {
    try {
      for await (const part of server) {
        if (proxy.delayMs > 0) await setTimeout(proxy.delayMs, undefined, { ref: false });
        client.write(part);
      }
      client.end();
    } catch {
      // One of the connections was closed.
    }
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  proxy.place = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return proxy;
}
