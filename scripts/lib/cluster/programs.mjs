// The programs with which operators run Crosswalk, from the packages of Debian 12: for `npm run cluster`, and for tests.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { prepareTool, unpackNewerPackages, unpackPackages } from "../debian-packages.mjs";
import { inRoot } from "../paths.mjs";
import { Failure } from "../progress.mjs";
import { prepareSwift } from "./swift.mjs";

const HOME = inRoot(".data/cluster-programs");
/** Of Debian's releases, only 12 has `postgresql-15`. The folder of its programs is named after the version. */
const PACKAGES = [
  ...["postgresql-15", "postgresql-client-15", "pgbackrest", "patroni", "etcd-server", "haproxy"],
  ["valkey-server", "redis-server"],
];
/**
 * Those of Debian 12 lose acknowledged writes if the machine of a primary pauses, and continues after a standby has replaced it. With Patroni 3.0.2,
 * the old primary takes the lock back (patroni/patroni#2689). etcd 3.4.23 on its machine revokes the lock of the new one (etcd-io/etcd#15247).
 * Both run with Debian 12's libraries.
 */
const NEWER = { release: "trixie", packages: ["patroni", "etcd-server"] };
/** Describes the system. Some systems have no such file. */
const OS_RELEASE = "/etc/os-release";
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
export async function prepareClusterPrograms() {
  const problem = await prepareTool(HOME, {
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
  return problem && `${problem}${describeOtherSystem()}`;
}

/**
 * Fetches all that a cluster needs, unless it is available.
 * @param {string} command for the message
 * @throws {Failure} if something is not available
 */
export async function requireClusterPrograms(command) {
  const problem = (await prepareClusterPrograms()) ?? (await prepareSwift());
  if (problem) throw new Failure(`${command} needs programs from Debian's packages: ${problem}`);
}

/** Returns a sentence that says that another system is required, or nothing on Debian 12. */
function describeOtherSystem() {
  const release = fs.existsSync(OS_RELEASE) ? fs.readFileSync(OS_RELEASE, "utf8") : "";
  if (/^VERSION_CODENAME="?bookworm"?$/m.test(release)) return "";
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(release)?.[1] ?? os.type();
  return `. Debian 12 is required, but this system is ${name}`;
}
