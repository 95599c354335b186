// A machine with PostgreSQL and pgBackRest from Debian's packages. The bundled PostgreSQL lacks the programs that operators use.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CLUSTER_PROGRAMS } from "../../scripts/lib/cluster/programs.mjs";
import { Machine } from "../../scripts/lib/machine.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";
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

  /**
   * Prepares `crosswalk-backup` of deploy/, which expects root and systemd: it runs as the user of this machine, and with `pg_ctl`.
   *
   * @returns runs it with these arguments
   */
  installBackups() {
    const data = `-D '${this.data}'`;
    const log = `'${path.join(this.folder, "postgres.log")}'`;
    const { variables, run } = installBackups(this, {
      start: `pg_ctl ${data} -w -t 60 -l ${log} start`,
      stop: `[ ! -e '${this.data}/postmaster.pid' ] || pg_ctl ${data} -m fast stop`,
    });
    Object.assign(this.variables, variables, { PGHOST: this.folder, PGPORT: String(this.port), PGUSER: "postgres" });
    return run;
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

/**
 * Prepares `crosswalk-backup` of deploy/ on a machine whose user is not root. Variables are in a file, as for PostgreSQL of Debian and Patroni.
 *
 * @param {Machine} machine
 * @param {{ start: string, stop: string, isActive?: string, secrets?: string }} service the shell commands of its service, and lines of the file
 */
export function installBackups(machine, { start, stop, isActive = "true", secrets = "" }) {
  machine.makeFolder("bin");
  const metrics = machine.makeFolder("metrics");
  const program = (name, lines) => fs.chmodSync(machine.writeFile(`bin/${name}`, `#!/bin/sh\n${lines}\n`), 0o700);
  program("runuser", '[ "$1 $2 $3" = "-u postgres --" ] || exit 9\nshift 3\nexec "$@"');
  program("systemctl", `case $1 in start) ${start} ;; stop) ${stop} ;; is-active) ${isActive} ;; esac`);
  program(
    "crosswalk-backup",
    fs.readFileSync(inRoot("deploy/pgbackrest/crosswalk-backup.sh"), "utf8").replace(/^.*\n/, ""),
  );
  const variables = {
    PATH: `${path.join(machine.folder, "bin")}:${machine.variables.PATH}`,
    CROSSWALK_BACKUP_VARIABLES: machine.writeFile("environment", secrets),
    CROSSWALK_BACKUP_METRICS: metrics,
  };
  const run = (...args) => machine.run("crosswalk-backup", ...args);
  return { variables, run, finished: path.join(metrics, "crosswalk-backup.prom") };
}
