// A highly available database on one machine: three PostgreSQL servers under Patroni, with the settings of deploy/patroni, and etcd.
import fs from "node:fs";
import path from "node:path";
import { Machine } from "../machine.mjs";
import { inRoot } from "../paths.mjs";
import { Etcd, end } from "./etcd.mjs";

const CONFIG = inRoot("deploy/patroni/patroni.yaml");
/** A machine that hangs or is cut off does not respond. */
const STATUS_MS = 1_000;
/** What differs from the settings of deploy/patroni here: there are no certificates, clients are superusers, and nothing is backed up. */
const LOCAL = {
  parameters: { ssl: "off", archive_mode: "off" },
  pg_hba: ["local all all", "host replication replicator samenet", "host all all samenet"].map(
    (rule) => `${rule} scram-sha-256`,
  ),
};

/**
 * @typedef {object} Place where one of the three machines runs
 * @property {string} host its address
 * @property {readonly string[]} [enter] the start of a command that runs programs in its network namespace
 */

/**
 * @typedef {object} Ports of one of the three machines
 * @property {number} patroni
 * @property {number} postgres
 */

export class DatabaseCluster {
  #members;
  #passwords;
  #settings;
  /** Runs on other machines, because an etcd leader that hung together with a primary can revoke the lock of its successor. */
  etcd;

  /**
   * @param {object} options
   * @param {string} options.folder
   * @param {string} options.root where the packages are unpacked
   * @param {readonly (Place & Ports)[]} options.machines
   * @param {{ host: string, ports: readonly { client: number, peer: number }[] }} options.etcd
   * @param {{ superuser: string, others: string }} options.passwords of the superuser, and of Patroni's other roles and REST API
   * @param {(machine: Machine) => { parameters: Record<string, string>, pg_hba?: string[] }} [options.settings] PostgreSQL's, instead of those
   *   of deploy/patroni
   */
  constructor({ folder, root, machines, etcd, passwords, settings = () => LOCAL }) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    this.etcd = new Etcd({ folder, root, ...etcd });
    this.#passwords = passwords;
    this.#settings = settings;
    this.#members = machines.map(({ host, enter, ...ports }, at) => {
      const name = `node${at + 1}`;
      return {
        name,
        host,
        ports,
        machine: new Machine(path.join(folder, name), root, enter),
        /** @type {import("node:child_process").ChildProcess | null} */
        patroni: null,
        isLost: false,
      };
    });
  }

  /** The names of the machines. */
  get names() {
    return this.#members.map(({ name }) => name);
  }

  /** The superuser's URL of a database, which names all servers. */
  url(database = "postgres") {
    const hosts = this.#members.map(({ host, ports }) => `${host}:${ports.postgres}`).join(",");
    return `postgresql://postgres:${this.#passwords.superuser}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  /** Returns a machine. */
  machine(name) {
    return this.#member(name).machine;
  }

  /** The folder of PostgreSQL's data on a machine. */
  dataFolder(name) {
    return dataFolder(this.machine(name));
  }

  /** Starts what is not running on each machine, except on those that are lost. */
  start() {
    this.etcd.start();
    for (const { name, isLost } of this.#members) if (!isLost) this.startMachine(name);
  }

  /** Starts what is not running on a machine. */
  startMachine(name) {
    const member = this.#member(name);
    const { machine } = member;
    member.isLost = false;
    // PostgreSQL and pgBackRest may be reading the files that `#configure` writes.
    if (member.patroni) return;
    machine.makeFolder("postgres");
    member.patroni = machine.start("patroni", [this.#configure(member)], { log: "patroni.log" });
    member.patroni.once("exit", () => {
      member.patroni = null;
    });
  }

  /** Writes Patroni's settings and sets its variables. Returns the folder of the settings. */
  #configure({ name, host, machine, ports }) {
    const config = machine.makeFolder("patroni");
    machine.writeFile("patroni/1-shared.yaml", fs.readFileSync(CONFIG, "utf8"));
    // The usual folder belongs to the system's PostgreSQL.
    const { parameters, ...others } = this.#settings(machine);
    const sockets = { unix_socket_directories: machine.makeFolder("sockets") };
    const postgresql = { ...others, parameters: { ...parameters, ...sockets } };
    machine.writeFile("patroni/2-machine.yaml", JSON.stringify({ postgresql }));
    Object.assign(machine.variables, {
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: this.etcd.places.map((place) => `'${place}'`).join(","),
      PATRONI_RESTAPI_LISTEN: `${host}:${ports.patroni}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${ports.patroni}`,
      PATRONI_POSTGRESQL_LISTEN: `${host}:${ports.postgres}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${ports.postgres}`,
      PATRONI_POSTGRESQL_DATA_DIR: dataFolder(machine),
      PATRONI_POSTGRESQL_BIN_DIR: path.join(machine.root, "usr/lib/postgresql/15/bin"),
      PATRONI_POSTGRESQL_PGPASS: path.join(machine.folder, "pgpass"),
      PATRONI_SUPERUSER_PASSWORD: this.#passwords.superuser,
      PATRONI_REPLICATION_PASSWORD: this.#passwords.others,
      PATRONI_REWIND_PASSWORD: this.#passwords.others,
      PATRONI_RESTAPI_PASSWORD: this.#passwords.others,
    });
    return config;
  }

  #member(name) {
    const member = this.#members.find((one) => one.name === name);
    if (!member) throw new Error(`no machine ${name}`);
    return member;
  }

  /**
   * Asks Patroni who is who, or returns an empty list if no member responds.
   *
   * @returns {Promise<{ name: string, role: string, state: string, port: number, lag?: number | string }[]>} the role is leader,
   *   sync_standby or replica; if all is well, the state of the leader is running, and that of the others is streaming
   */
  async status() {
    const ask = async ({ host, ports }) => {
      const signal = AbortSignal.timeout(STATUS_MS);
      const response = await fetch(`http://${host}:${ports.patroni}/cluster`, { signal });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      return (await response.json()).members;
    };
    for (const member of this.#members) {
      const members = await ask(member).catch(() => null);
      if (members) return members;
    }
    return [];
  }

  /** Returns whether there is a primary and a synchronous standby, and every other server follows. */
  async isHealthy() {
    const members = await this.status();
    const has = (role) => members.some((member) => member.role === role);
    const isWell = ({ role, state }) => state === (role === "leader" ? "running" : "streaming");
    return members.length === this.#members.length && members.every(isWell) && has("leader") && has("sync_standby");
  }

  /** Returns the name of the primary's machine. */
  async primary() {
    return (await this.status()).find(({ role }) => role === "leader")?.name ?? null;
  }

  /** The ID of the process of PostgreSQL on a machine, or null. */
  postgresPid(name) {
    const file = path.join(dataFolder(this.#member(name).machine), "postmaster.pid");
    return fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split("\n", 1)[0]) : null;
  }

  /** Kills PostgreSQL on a machine with SIGKILL. */
  killPostgres(name) {
    const pid = this.postgresPid(name);
    if (pid) kill(pid, "SIGKILL");
  }

  /** Kills Patroni on a machine with SIGKILL. PostgreSQL keeps running. */
  killPatroni(name) {
    this.#member(name).patroni?.kill("SIGKILL");
  }

  /** Asks Patroni to make the synchronous standby the primary. */
  async switchOver() {
    const leader = await this.primary();
    if (!leader) throw new Error("there is no primary");
    const { host, ports } = this.#member(leader);
    const login = Buffer.from(`patroni:${this.#passwords.others}`).toString("base64");
    const response = await fetch(`http://${host}:${ports.patroni}/switchover`, {
      method: "POST",
      headers: { authorization: `Basic ${login}`, "content-type": "application/json" },
      body: JSON.stringify({ leader }),
    });
    if (!response.ok) throw new Error(`the switchover failed (${response.status}): ${await response.text()}`);
  }

  /** Kills everything on a machine with SIGKILL, until `startMachine`. */
  loseMachine(name) {
    this.#member(name).isLost = true;
    this.signalMachine(name, "SIGKILL");
  }

  /** Sends a signal to everything on a machine: SIGSTOP makes it hang, and SIGCONT makes it continue. */
  signalMachine(name, signal) {
    const postgres = this.postgresPid(name);
    this.#member(name).patroni?.kill(signal);
    if (postgres) for (const pid of [postgres, ...childrenOf(postgres)]) kill(pid, signal);
  }

  /** Stops PostgreSQL and Patroni on all machines: first the standbys, so that no failover begins. */
  async stopMachines() {
    const leader = await this.primary();
    const order = [...this.#members].sort((a, b) => Number(a.name === leader) - Number(b.name === leader));
    for (const { patroni } of order) await end(patroni);
  }

  /** Stops everything. */
  async stop() {
    await this.stopMachines();
    await this.etcd.stop();
  }
}

/** PostgreSQL's data has a parent folder, because Patroni moves the folder of a former primary that can't follow. */
const dataFolder = (machine) => path.join(machine.folder, "postgres/data");

/** Lists the processes that a process has started. */
function childrenOf(pid) {
  const files = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return files.map(Number).filter((child) => parentOf(child) === pid);
}

function parentOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
