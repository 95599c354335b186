// Network namespaces, in which machines can be cut off from all others. Linux only, and only for root.
import { spawnSync } from "node:child_process";
import { isRoot } from "../machine";

const MACHINES = 3;
/** Addresses for tests of networks (RFC 2544), which no other network uses. */
const SUBNET = `198.18.${process.pid % 256}`;
/** The addresses of this machine in the network: its own, from which servers and workers connect, and etcd's. */
const GATEWAY = `${SUBNET}.1`;
const ETCD = `${SUBNET}.2`;
/** The name of this machine's interface in the network, with which all others begin. */
export const BRIDGE = `cwb${process.pid % 100_000}`;
/** An interface of a machine that leads nowhere. What is sent there is lost without an error, as on a network that is cut. */
const NOWHERE = "nowhere";

export interface Networks {
  machines: { host: string; enter: string[] }[];
  /** The address of etcd in the network, which runs on this machine. */
  etcd: string;
  /** Cuts a machine off from the network, or reconnects it. */
  cut: (at: number, isCut: boolean) => void;
  /** Cuts a machine off from etcd and from the other two machines, in both directions, or reconnects it. Servers and workers still reach it. */
  isolate: (at: number, isIsolated: boolean) => void;
  remove: () => void;
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}

/** Lets a machine drop what comes from an address to which it could not respond on the same interface (RFC 3704). */
function dropUnreachable(name: string): void {
  const setting = "echo 1 > /proc/sys/net/ipv4/conf/eth0/rp_filter";
  const { status, stderr } = spawnSync("nsenter", [`--net=/run/netns/${name}`, "sh", "-c", setting], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${setting}: ${stderr}`);
}

/** Returns why machines can't have networks here, or null. */
export function whyNoNetworks(): string | null {
  if (!isRoot) return "network namespaces need root";
  try {
    createNetworks().remove();
    return null;
  } catch (error) {
    return `network namespaces can't be created: ${(error as Error).message}`;
  }
}

/** Creates a network for each machine of the database, joined by a bridge of this machine. */
export function createNetworks(): Networks {
  const names = Array.from({ length: MACHINES }, (_, at) => `${BRIDGE}-${at + 1}`);
  const remove = () => {
    for (const name of names) spawnSync("ip", ["netns", "del", name]);
    spawnSync("ip", ["link", "del", BRIDGE]);
  };
  const links = names.map((_, at) => `${BRIDGE}p${at + 1}`);
  const hosts = names.map((_, at) => `${SUBNET}.${at + 11}`);
  try {
    ip("link", "add", BRIDGE, "type", "bridge");
    // The first one is the address of outgoing connections.
    for (const address of [GATEWAY, ETCD]) ip("addr", "add", `${address}/24`, "dev", BRIDGE);
    ip("link", "set", BRIDGE, "up");
    for (const [at, name] of names.entries()) {
      const link = links[at] as string;
      ip("netns", "add", name);
      ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
      ip("link", "set", link, "master", BRIDGE, "up");
      ip("-n", name, "addr", "add", `${hosts[at]}/24`, "dev", "eth0");
      for (const device of ["lo", "eth0"]) ip("-n", name, "link", "set", device, "up");
      dropUnreachable(name);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return {
    machines: names.map((name, at) => ({
      host: hosts[at] as string,
      enter: ["nsenter", `--net=/run/netns/${name}`],
    })),
    etcd: ETCD,
    cut: (at, isCut) => ip("link", "set", links[at] as string, isCut ? "down" : "up"),
    isolate: (at, isIsolated) => {
      const name = names[at] as string;
      if (!isIsolated) return ip("-n", name, "link", "del", NOWHERE);
      // A bridge without ports. It needs no kernel module besides that of the network's bridge.
      ip("-n", name, "link", "add", NOWHERE, "type", "bridge");
      ip("-n", name, "link", "set", NOWHERE, "arp", "off", "up");
      const others = hosts.filter((_, other) => other !== at);
      for (const address of [ETCD, ...others]) ip("-n", name, "route", "add", `${address}/32`, "dev", NOWHERE);
    },
    remove,
  };
}
