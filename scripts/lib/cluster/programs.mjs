// The programs with which operators run Crosswalk, from Debian's packages: for `npm run cluster`, and for tests.
import fs from "node:fs";
import path from "node:path";
import { prepareTool, unpackPackages } from "../debian-packages.mjs";
import { inRoot } from "../paths.mjs";

const HOME = inRoot(".data/cluster-programs");
const PACKAGES = [
  ...["postgresql-15", "pgbackrest", "patroni", "etcd-server", "haproxy"],
  ["valkey-server", "redis-server"],
];
const READY = path.join(HOME, "ready");

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
      await unpackPackages(HOME, PACKAGES, "Patroni");
      fs.writeFileSync(READY, "");
    },
  });
}
