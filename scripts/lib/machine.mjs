// Runs programs from unpacked packages as if on a separate machine: in a folder owned by the user who runs them.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { libraryFolders } from "./debian-packages.mjs";
import { systemEnvironment } from "./environment.mjs";
import { run } from "./lifetime.mjs";
import { canRun, chooseUser } from "./postgres-binaries.mjs";

/** Folders with programs, relative to the root of unpacked packages. */
const PROGRAM_FOLDERS = ["usr/lib/postgresql/15/bin", "usr/bin", "usr/sbin"];

/** A folder and the user who owns it: the user of this process, or one who may run PostgreSQL if this process runs as root. */
export class Machine {
  /**
   * @param {string} folder created if it does not exist
   * @param {string} root where packages are unpacked
   * @param {readonly string[]} [enter] the start of a command that runs programs in a network namespace. Needs root
   */
  constructor(folder, root, enter = []) {
    this.folder = folder;
    this.enter = enter;
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    this.user = chooseUser(path.join(folder, "data"));
    this.#own(folder);
    this.root = this.#readable(root);
    /**
     * The environment of the programs.
     * @type {Record<string, string>}
     */
    this.variables = {
      ...systemEnvironment(),
      LC_ALL: "C",
      HOME: folder,
      LD_LIBRARY_PATH: libraryFolders(this.root).join(":"),
      PYTHONPATH: path.join(this.root, "usr/lib/python3/dist-packages"),
      PATH: [...PROGRAM_FOLDERS.map((place) => path.join(this.root, place)), process.env.PATH].join(":"),
    };
  }

  /** Returns the root, or a copy if the user has no access to it, as below /root. */
  #readable(root) {
    if (canRun(this.user, path.join(root, "usr/lib"))) return root;
    const copy = path.join(this.folder, "programs");
    fs.cpSync(root, copy, { recursive: true, verbatimSymlinks: true, force: false });
    return copy;
  }

  /** Creates a folder if it does not exist, and returns its path. */
  makeFolder(name) {
    const folder = path.join(this.folder, name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#own(folder);
    return folder;
  }

  /** Writes a file that only the user can read, and returns its path. */
  writeFile(name, content) {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, content, { mode: 0o600 });
    this.#own(file);
    return file;
  }

  #own(file) {
    const { uid, gid } = this.user.owner ?? this.user;
    if (uid !== undefined) fs.chownSync(file, uid, gid);
  }

  #command(name, args) {
    const { uid, gid, prefix } = this.user;
    // Only root can enter a namespace, so the user changes afterwards.
    const isEntering = this.enter.length > 0 && uid !== undefined;
    const change = isEntering ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : prefix;
    const [program, ...rest] = [...this.enter, ...change, name, ...args];
    return { program, rest, options: { cwd: this.folder, env: this.variables, ...(isEntering ? {} : { uid, gid }) } };
  }

  /** Runs a program until it ends, and returns its output. */
  async run(name, ...args) {
    const { program, rest, options } = this.#command(name, args);
    const { code, output } = await run(program, rest, { output: "keep", ...options });
    if (code !== 0) throw new Error(`${name} ${args.join(" ")} failed (${code}):\n${output}`);
    return output;
  }

  /**
   * Starts a program that keeps running.
   *
   * @param {string} name
   * @param {readonly string[]} args
   * @param {{ log: string, variables?: Record<string, string> }} options `log` is a file in the folder, to which the output is appended
   */
  start(name, args, { log, variables = {} }) {
    const { program, rest, options } = this.#command(name, args);
    const output = fs.openSync(path.join(this.folder, log), "a");
    const env = { ...options.env, ...variables };
    const child = spawn(program, rest, { ...options, env, stdio: ["ignore", output, output] });
    fs.closeSync(output);
    return child;
  }
}
