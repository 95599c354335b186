import net from "node:net";

const proto: Pick<net.Socket, "_write" | "_writev"> = net.Socket.prototype;

/** Counts how often this process writes to a socket during `work`: one round trip to the database each, if nothing else has a socket. */
export async function countRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const { _write, _writev } = proto;
  let count = 0;
  proto._write = function (this: net.Socket, ...args) {
    count++;
    return _write.apply(this, args);
  };
  proto._writev = function (this: net.Socket, ...args) {
    count++;
    return _writev?.apply(this, args);
  };
  try {
    await work();
    return count;
  } finally {
    Object.assign(proto, { _write, _writev });
  }
}
