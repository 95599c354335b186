// Preloaded into a server with --import: counts its round trips to PostgreSQL and its commits, without any code in the server. Writes
// both to the file in COUNTS_FILE when the process gets SIGUSR2.
import fs from "node:fs";
import pg from "pg";
import type { Counts } from "./counts";

/** Not part of pg's types. */
interface Connecting {
  connect(this: pg.Connection, ...address: unknown[]): void;
}

const counts: Counts = { roundTrips: 0, commits: 0 };
const prototype = pg.Connection.prototype as unknown as Connecting;
const { connect } = prototype;

prototype.connect = function (...address) {
  // Connecting restores the original `write` of a socket.
  connect.apply(this, address);
  watch(this);
};

function watch(connection: pg.Connection): void {
  const { stream } = connection;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  // Statements that are sent together are one round trip: it begins with the first write after a response.
  let isWaiting = false;
  stream.write = (...args: unknown[]) => {
    if (!isWaiting) counts.roundTrips += 1;
    isWaiting = true;
    return write(...args);
  };
  stream.prependListener("data", () => {
    isWaiting = false;
  });
  // PostgreSQL is idle (I) after each commit, including the one of a statement outside a transaction.
  connection.on("readyForQuery", ({ status }: { status: string }) => {
    if (status === "I") counts.commits += 1;
  });
}

process.on("SIGUSR2", () => {
  const file = process.env.COUNTS_FILE as string;
  fs.writeFileSync(`${file}.part`, JSON.stringify(counts));
  fs.renameSync(`${file}.part`, file);
});
