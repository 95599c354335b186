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
 * Patroni 4. Patroni 3.0.2 of Debian 12 can lose acknowledged writes: a primary that continues after a pause takes back the lock from the standby
 * that replaced it (patroni/patroni#2689). It is pure Python, and needs the same packages.
 */
const NEWER_PATRONI = { release: "trixie", packages: ["patroni"] };
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
      const newer = await unpackNewerPackages(path.join(HOME, "newer"), NEWER_PATRONI, "Patroni");
      fs.rmSync(path.join(root, "usr/lib/python3/dist-packages/patroni"), { recursive: true });
      fs.cpSync(newer, root, { recursive: true, verbatimSymlinks: true });
      fs.writeFileSync(READY, "");
    },
  });
}
