// Describes failures of the machine, its disks or the database to the person who runs a program. Plain JavaScript, because the scripts need
// it before anything is installed.
import { parseDatabaseUrl } from "./db/database-url.mjs";
import { isLostConnection } from "./db/lost-connection.mjs";
import { describeRejection } from "./db/pooler-problems.mjs";

const UNKNOWN_HOST = new Set(["ENOTFOUND", "EAI_AGAIN"]);
/** Why the database can't be reached, by code. */
const UNREACHABLE = new Map([
  ["57P03", "it is starting or stopping"],
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOENT", "there is no such socket"],
  ["EHOSTUNREACH", "its machine does not respond"],
  ["ENETUNREACH", "there is no route to it"],
]);
const AGAIN = "then give the same command again";
/** Cuts longer chains of causes. */
const MAX_CAUSES = 6;

/**
 * Describes a failure outside of the program: a full disk, a missing permission, a database that is gone. Returns null for other errors.
 *
 * @param {unknown} error with its causes
 * @param {{ databaseUrl?: string | undefined }} [known] only host, port and names of the URL are shown
 * @returns {string | null}
 */
export function describeSystemFailure(error, { databaseUrl } = {}) {
  const database = describeDatabaseUrl(databaseUrl);
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    const description = describeFile(cause) ?? describeRejection(cause) ?? describeDatabase(cause, database);
    if (description) return description;
    // Connecting to several addresses of a name fails with an error for each.
    cause = cause.cause ?? (cause instanceof AggregateError ? cause.errors[0] : undefined);
  }
  return null;
}

/** @param {Error & Record<string, any>} error */
function describeFile({ code, errno, path, dest, syscall, bytes, free }) {
  const file = dest ?? path;
  if (code === "ENOSPC" || code === "EDQUOT") {
    const what = code === "EDQUOT" ? "The disk quota is used up" : "The disk is full";
    const needs =
      bytes === undefined ? "" : ` It needs ${count(bytes)}${free === undefined ? "" : `, ${count(free)} are free`}.`;
    return `${what}: ${file ?? "the output"} can't be written.${needs} Make room, ${AGAIN}.`;
  }
  if (code === "EFBIG") return `${file ?? "A file"} would be larger than files may be here (ulimit -f).`;
  if (code === "EROFS") return `${file ?? "The folder"} can't be written: the file system is read-only.`;
  if ((code === "EACCES" || code === "EPERM") && syscall !== "connect" && syscall !== "kill") {
    const verb = /^(scandir|opendir|stat|lstat|read|access)$/.test(syscall ?? "") ? "read" : "open or write";
    return `There is no permission to ${verb} ${file ?? "a file"} (${code}). Run it as the user the file belongs to.`;
  }
  if (code === "EMFILE" || code === "ENFILE") return `Too many files are open (${code}): raise ulimit -n.`;
  if (code === "EIO") return `${file ?? "A file"} can't be read or written: its disk has failed (EIO, ${syscall}).`;
  // Any other failure of a file has its path. A failed connection to a socket is about the database.
  if (file === undefined || errno === undefined || syscall === "connect") return null;
  return `${file} can't be used (${code}, ${syscall}).`;
}

/**
 * @param {Error & Record<string, any>} error
 * @param {{ at: string, name: string, user: string }} database
 */
function describeDatabase(error, { at, name, user }) {
  const { name: kind, code = "", message, syscall, hostname } = error;
  // It lists the servers, so it says more than its code.
  if (kind === "NoServerError") return `${message}. Check DATABASE_URL.`;
  if (code === "53100") return `The disk of the database at ${at} is full: ${message}. Make room there, ${AGAIN}.`;
  if (code === "53200") return `The database at ${at} is out of memory: ${message}.`;
  if (code === "53300")
    return `The database at ${at} has no connection left: ${message}. Try again, or raise its limit.`;
  if (code === "28P01" || code === "28000") return `The database at ${at} does not let ${user} in. Check DATABASE_URL.`;
  if (code === "3D000") return `There is no database ${name} at ${at}. Check DATABASE_URL.`;
  if (code === "42501") return `The database's role ${user} lacks a permission: ${message}.`;
  if (code === "25006") return `The database at ${at} is read-only: it may be a standby. Check DATABASE_URL.`;
  if (UNKNOWN_HOST.has(code)) return `There is no host ${hostname ?? at} (${code}). Check DATABASE_URL.`;
  const isGone = isLostConnection(error) || message.includes("timeout exceeded when trying to connect");
  if (!isGone || (code === "EPIPE" && syscall === "write")) return null;
  const why = UNREACHABLE.get(code) ?? "the connection was lost";
  return `The database at ${at} can't be reached: ${why}. Make sure that it runs, ${AGAIN}.`;
}

const count = (/** @type {number} */ bytes) => `${bytes.toLocaleString("en-US")} bytes`;

/** @param {string | undefined} url */
function describeDatabaseUrl(url) {
  try {
    const { place, name, user } = parseDatabaseUrl(url ?? "");
    return { at: place, name, user };
  } catch {
    return { at: "DATABASE_URL", name: "", user: "the user" };
  }
}
