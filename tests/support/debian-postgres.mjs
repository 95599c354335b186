// PostgreSQL and pgBackRest from Debian's packages: the programs that operators use, which the bundled PostgreSQL lacks. Nothing is installed
// on the system.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { run } from "../../scripts/lib/lifetime.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";
import { asAdmin } from "../../scripts/lib/postgres.mjs";
import { chooseUser } from "../../scripts/lib/postgres-binaries.mjs";
import { libraryFolders, prepareTool, unpackPackages } from "./debian-packages.mjs";

const HOME = inRoot(".data/test-debian-postgres");
const ROOT = path.join(HOME, "root");
const PACKAGES = ["postgresql-15", "pgbackrest"];
const ready = path.join(HOME, "ready");

/** Returns whether the programs are unpacked. */
export const hasDebianPostgres = () => fs.existsSync(ready);

/**
 * Fetches the programs unless they are available.
 * @returns {Promise<string | null>} why their tests are skipped, or null
 */
export function prepareDebianPostgres() {
  return prepareTool(HOME, {
    title: "Fetching PostgreSQL and pgBackRest for the restore drill",
    isAvailable: hasDebianPostgres,
    async fetch() {
      await unpackPackages(HOME, PACKAGES, "PostgreSQL");
      fs.writeFileSync(ready, "");
    },
  });
}

/**
 * A machine with its own PostgreSQL: a temporary folder with the programs, the data and what tests add. PostgreSQL does not run as root, so
 * everything in it belongs to another user if the tests run as root.
 */
export class DatabaseMachine {
  /** @param {number} port */
  constructor(port) {
    this.port = port;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-machine-"));
    this.root = path.join(this.folder, "programs");
    this.data = path.join(this.folder, "data");
    fs.chmodSync(this.folder, 0o755);
    // The user may have no access to the folder of the project.
    fs.cpSync(ROOT, this.root, { recursive: true, verbatimSymlinks: true });
    this.user = chooseUser(this.data);
    this.#own(this.folder);
    this.makeFolder("data");
    /** Variables for programs, such as settings of pgBackRest. */
    this.variables = {
      LD_LIBRARY_PATH: libraryFolders(this.root).join(":"),
      PATH: `${path.join(this.root, "usr/bin")}:${process.env.PATH}`,
    };
  }

  /** The superuser's URL of a database. */
  url(database = "postgres") {
    return `postgresql://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates a folder of PostgreSQL's user, and returns its path. */
  makeFolder(name) {
    const folder = path.join(this.folder, name);
    fs.mkdirSync(folder, { mode: 0o700 });
    this.#own(folder);
    return folder;
  }

  /** Writes a file that PostgreSQL's user can read, and returns its path. */
  writeFile(name, content) {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, content);
    this.#own(file);
    return file;
  }

  #own(file) {
    const { uid, gid } = this.user.owner ?? this.user;
    if (uid !== undefined) fs.chownSync(file, uid, gid);
  }

  /** The path of a program of the packages. */
  program(name) {
    const places = ["usr/lib/postgresql/15/bin", "usr/bin"].map((place) => path.join(this.root, place, name));
    return places.find((file) => fs.existsSync(file)) ?? name;
  }

  #command(name, args) {
    const variables = Object.entries(this.variables).map(([variable, value]) => `${variable}=${value}`);
    return ["env", ...variables, this.program(name), ...args];
  }

  #log() {
    const file = path.join(this.data, "server.log");
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").slice(-2_000) : "";
  }

  /** Runs a program as PostgreSQL's user, and returns its output. */
  async run(name, ...args) {
    const [program, ...rest] = [...this.user.prefix, ...this.#command(name, args)];
    const { uid, gid } = this.user;
    const { code, output } = await run(program, rest, { output: "keep", cwd: "/", uid, gid });
    if (code !== 0) throw new Error(`${name} ${args.join(" ")} failed (${code}):\n${output}${this.#log()}`);
    return output;
  }

  /** Creates the data folder, with these lines in `postgresql.conf`. */
  async initialize(settings) {
    await this.run("initdb", "-D", this.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C");
    const own = `listen_addresses = '127.0.0.1'\nport = ${this.port}\nunix_socket_directories = '${this.folder}'\n`;
    fs.appendFileSync(path.join(this.data, "postgresql.conf"), own + settings);
  }

  async start() {
    await this.run("pg_ctl", "-D", this.data, "-w", "-t", "60", "-l", path.join(this.data, "server.log"), "start");
  }

  /** Stops PostgreSQL as a crash does, and deletes its data. */
  async lose() {
    await this.run("pg_ctl", "-D", this.data, "-m", "immediate", "stop");
    fs.rmSync(this.data, { recursive: true });
    this.makeFolder("data");
  }

  /**
   * Runs a statement as superuser, and returns its rows.
   * @returns {Promise<Record<string, unknown>[]>}
   */
  async query(text, values = []) {
    const { rows } = await asAdmin(this.url(), (client) => client.query(text, values));
    return rows;
  }

  /** Stops everything, and deletes the folder. */
  async remove() {
    if (fs.existsSync(path.join(this.data, "postmaster.pid")))
      await this.run("pg_ctl", "-D", this.data, "-m", "immediate", "stop");
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
