// A machine with PostgreSQL and pgBackRest from Debian's packages. The bundled PostgreSQL lacks the programs that operators use.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CLUSTER_PROGRAMS } from "../../scripts/lib/cluster/programs.mjs";
import { Machine } from "../../scripts/lib/machine.mjs";
import { asAdmin } from "../../scripts/lib/postgres.mjs";

/** A machine with a separate PostgreSQL, in a temporary folder. */
export class DatabaseMachine extends Machine {
  /** @param {number} port */
  constructor(port) {
    super(fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-machine-")), CLUSTER_PROGRAMS);
    this.port = port;
    this.data = this.makeFolder("data");
  }

  /** The superuser's URL of a database. */
  url(database = "postgres") {
    return `postgresql://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates the data folder, with these lines in `postgresql.conf`. */
  async initialize(settings) {
    await this.run("initdb", "-D", this.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C");
    const own = `listen_addresses = '127.0.0.1'\nport = ${this.port}\nunix_socket_directories = '${this.folder}'\n`;
    fs.appendFileSync(path.join(this.data, "postgresql.conf"), own + settings);
  }

  /** Starts PostgreSQL, and waits until it accepts connections. */
  async startPostgres() {
    const log = path.join(this.folder, "postgres.log");
    await this.run("pg_ctl", "-D", this.data, "-w", "-t", "60", "-l", log, "start").catch((error) => {
      throw new Error(`${error.message}\n${fs.existsSync(log) ? fs.readFileSync(log, "utf8").slice(-2_000) : ""}`);
    });
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
