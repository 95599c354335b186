// etcd with three members, each on its own machine.
import path from "node:path";
import { Machine } from "../machine.mjs";

/** A member that hangs does not respond. */
const STATUS_MS = 1_000;

export class Etcd {
  #members;

  /**
   * @param {{ folder: string, root: string, host: string, ports: readonly { client: number, peer: number }[] }} options
   *   `root`: where the packages are unpacked; `host`: the address of all members
   */
  constructor({ folder, root, host, ports }) {
    this.#members = ports.map(({ client, peer }, at) => {
      const name = `etcd${at + 1}`;
      const machine = new Machine(path.join(folder, name), root);
      return { name, machine, client: `http://${host}:${client}`, peer: `http://${host}:${peer}`, program: null };
    });
  }

  /** The address of each member, for clients. */
  get places() {
    return this.#members.map(({ client }) => new URL(client).host);
  }

  /** Starts the members that are not running. */
  start() {
    for (const member of this.#members) {
      if (member.program) continue;
      const { name, machine, client, peer } = member;
      const variables = {
        ETCD_NAME: name,
        ETCD_DATA_DIR: machine.makeFolder("data"),
        ETCD_LISTEN_CLIENT_URLS: client,
        ETCD_ADVERTISE_CLIENT_URLS: client,
        ETCD_LISTEN_PEER_URLS: peer,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
        ETCD_INITIAL_CLUSTER: this.#members.map((other) => `${other.name}=${other.peer}`).join(","),
        ETCD_LOGGER: "zap",
        ETCD_LOG_LEVEL: "warn",
      };
      member.program = machine.start("etcd", [], { log: "etcd.log", variables });
      member.program.once("exit", () => {
        member.program = null;
      });
    }
  }

  /** Returns the name of the leader, or null. */
  async leader() {
    for (const { name, client } of this.#members) {
      const status = await readStatus(client).catch(() => null);
      if (status && status.leader === status.header.member_id) return name;
    }
    return null;
  }

  /** Sends a signal to a member: SIGSTOP makes it hang, and SIGCONT makes it continue. */
  signal(name, signal) {
    this.#members.find((member) => member.name === name)?.program?.kill(signal);
  }

  async stop() {
    await Promise.all(this.#members.map(({ program }) => end(program)));
  }
}

async function readStatus(client) {
  const signal = AbortSignal.timeout(STATUS_MS);
  const response = await fetch(`${client}/v3/maintenance/status`, { method: "POST", body: "{}", signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

/** Ends a program of a machine, and waits for its end. */
export async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
