// The programs with which operators run Crosswalk, from Debian's packages: for `npm run cluster`, and for tests.
import fs from "node:fs";
import path from "node:path";
import { prepareTool, unpackNewerPackages, unpackPackages } from "../debian-packages.mjs";
import { inRoot } from "../paths.mjs";

const HOME = inRoot(".data/cluster-programs");
const PACKAGES = [
  ...["postgresql-15", "pgbackrest", "patroni", "etcd-server", "haproxy"],
  ["valkey-server", "redis-server"],
];
/**
 * Those of Debian 12 lose acknowledged writes if the machine of a primary pauses, and continues after a standby has replaced it. With Patroni 3.0.2,
 * the old primary takes the lock back (patroni/patroni#2689). etcd 3.4.23 on its machine revokes the lock of the new one (etcd-io/etcd#15247).
 * Both run with Debian 12's libraries.
 */
const NEWER = { release: "trixie", packages: ["patroni", "etcd-server"] };
/** The number changes with the packages. */
const READY = path.join(HOME, "ready-2");

/** Where the packages are unpacked. */
export const CLUSTER_PROGRAMS = path.join(HOME, "root");

/** Returns whether the programs are unpacked. */
export const hasClusterPrograms = () => fs.existsSync(READY);

/**
 * Fetches the programs unless they are available.
 * @returns {Promise<string | null>} why they are not available, or null
 */
export function prepareClusterPrograms() {
  return prepareTool(HOME, {
    title: "Fetching PostgreSQL, pgBackRest, Patroni, etcd, HAProxy and Valkey or Redis",
    isAvailable: hasClusterPrograms,
    async fetch() {
      const root = await unpackPackages(HOME, PACKAGES, "Patroni");
      const home = path.join(HOME, "newer");
      const newer = await unpackNewerPackages(home, NEWER, "Patroni");
      fs.rmSync(path.join(root, "usr/lib/python3/dist-packages/patroni"), { recursive: true });
      fs.cpSync(newer, root, { recursive: true, verbatimSymlinks: true });
      fs.rmSync(home, { recursive: true });
      fs.writeFileSync(READY, "");
    },
  });
}
