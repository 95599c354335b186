// A highly available database on one machine: three PostgreSQL servers under Patroni, with the settings of deploy/patroni, and etcd.
import fs from "node:fs";
import path from "node:path";
import { Machine } from "../machine.mjs";
import { inRoot } from "../paths.mjs";
import { Etcd, end } from "./etcd.mjs";

const CONFIG = inRoot("deploy/patroni/patroni.yaml");
/** A machine that hangs or is cut off does not respond. */
const STATUS_MS = 1_000;

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
  /** Runs on other machines, because an etcd leader that hung together with a primary can revoke the lock of its successor. */
  etcd;

  /**
   * @param {object} options
   * @param {string} options.folder
   * @param {string} options.root where the packages are unpacked
   * @param {readonly (Place & Ports)[]} options.machines
   * @param {{ host: string, ports: readonly { client: number, peer: number }[] }} options.etcd
   * @param {{ superuser: string, replicator: string }} options.passwords
   */
  constructor({ folder, root, machines, etcd, passwords }) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    this.etcd = new Etcd({ folder, root, ...etcd });
    this.#passwords = passwords;
    this.#members = machines.map(({ host, enter, ...ports }, at) => {
      const name = `node${at + 1}`;
      return {
        name,
        host,
        ports,
        machine: new Machine(path.join(folder, name), root, enter),
        programs: new Map(),
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

  /** Starts what is not running on each machine, except on those that are lost. */
  start() {
    this.etcd.start();
    for (const { name, isLost } of this.#members) if (!isLost) this.startMachine(name);
  }

  /** Starts what is not running on a machine. */
  startMachine(name) {
    const member = this.#member(name);
    member.isLost = false;
    member.machine.makeFolder("postgres");
    this.#startProgram(member, "patroni", ...this.#patroni(member));
  }

  #startProgram({ machine, programs }, name, args, variables) {
    if (programs.has(name)) return;
    const child = machine.start(name, args, { log: `${name}.log`, variables });
    programs.set(name, child);
    child.once("exit", () => programs.delete(name));
  }

  /** @returns {[string[], Record<string, string>]} arguments and variables */
  #patroni({ name, host, machine, ports }) {
    const config = machine.makeFolder("patroni");
    machine.writeFile("patroni/1-shared.yaml", fs.readFileSync(CONFIG, "utf8"));
    // The usual folder belongs to the system's PostgreSQL.
    const sockets = { postgresql: { parameters: { unix_socket_directories: machine.makeFolder("sockets") } } };
    machine.writeFile("patroni/2-machine.yaml", JSON.stringify(sockets));
    const variables = {
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
      PATRONI_REPLICATION_PASSWORD: this.#passwords.replicator,
    };
    return [[config], variables];
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
    this.#member(name).programs.get("patroni")?.kill("SIGKILL");
  }

  /** Asks Patroni to make the synchronous standby the primary. */
  async switchOver() {
    const leader = await this.primary();
    if (!leader) throw new Error("there is no primary");
    const { host, ports } = this.#member(leader);
    const response = await fetch(`http://${host}:${ports.patroni}/switchover`, {
      method: "POST",
      headers: { "content-type": "application/json" },
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
    const { programs } = this.#member(name);
    const postgres = this.postgresPid(name);
    for (const child of programs.values()) child.kill(signal);
    if (postgres) for (const pid of [postgres, ...childrenOf(postgres)]) kill(pid, signal);
  }

  /** Stops everything: first the standbys, so that no failover begins. */
  async stop() {
    const leader = await this.primary();
    const order = [...this.#members].sort((a, b) => Number(a.name === leader) - Number(b.name === leader));
    for (const { programs } of order) await end(programs.get("patroni"));
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
