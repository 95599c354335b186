// What the machine, its disks or the database did to a program, in words for whoever runs it. Plain JavaScript: the scripts need it
// before anything is installed.

const DATABASE_GONE = new Set(["57P01", "57P02", "57P03", "ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);
const DATABASE_GONE_MESSAGE =
  /^Connection terminated|connection error and is not queryable|^Query read timeout$|timeout exceeded when trying to connect/;
const UNKNOWN_HOST = new Set(["ENOTFOUND", "EAI_AGAIN"]);
const AGAIN = "then give the same command again";
/** A chain of causes longer than this is cut. */
const MOST_CAUSES = 6;

/**
 * Says what outside of the program made it fail: a full disk, a missing permission, a database that is gone. null for any other
 * error.
 *
 * @param {unknown} error with its causes
 * @param {{ databaseUrl?: string | undefined }} [known] only host, port and names of it are told
 * @returns {string | null}
 */
export function describeSystemFailure(error, { databaseUrl } = {}) {
  const database = placeOf(databaseUrl);
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth++) {
    const told = describeFile(cause) ?? describeDatabase(cause, database);
    if (told) return told;
    // An attempt at several addresses of one name fails with an error for each.
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
  // Any other failure of a file names it. Connections to sockets are the database's.
  if (file === undefined || errno === undefined || syscall === "connect") return null;
  return `${file} can't be used (${code}, ${syscall}).`;
}

/**
 * @param {Error & Record<string, any>} error
 * @param {{ at: string, name: string, user: string }} database
 */
function describeDatabase({ code = "", message, syscall, hostname }, { at, name, user }) {
  if (code === "53100") return `The disk of the database at ${at} is full: ${message}. Make room there, ${AGAIN}.`;
  if (code === "53200") return `The database at ${at} is out of memory: ${message}.`;
  if (code === "53300")
    return `The database at ${at} has no connection left: ${message}. Try again, or raise its limit.`;
  if (code === "28P01" || code === "28000") return `The database at ${at} does not let ${user} in. Check DATABASE_URL.`;
  if (code === "3D000") return `There is no database ${name} at ${at}. Check DATABASE_URL.`;
  if (code === "42501") return `The database's role ${user} lacks a permission: ${message}.`;
  if (code === "25006") return `The database at ${at} is read-only: it may be a standby. Check DATABASE_URL.`;
  if (UNKNOWN_HOST.has(code)) return `There is no host ${hostname ?? at} (${code}). Check DATABASE_URL.`;
  const isGone = DATABASE_GONE.has(code) || /^08[0-9A-Z]{3}$/.test(code) || DATABASE_GONE_MESSAGE.test(message);
  if (!isGone || (code === "EPIPE" && syscall === "write")) return null;
  const why =
    code === "ECONNREFUSED"
      ? "nothing listens there"
      : code === "57P03"
        ? "it is starting or stopping"
        : "the connection was lost";
  return `The database at ${at} can't be reached: ${why}. Make sure that it runs, ${AGAIN}.`;
}

const count = (/** @type {number} */ bytes) => `${bytes.toLocaleString("en-US")} bytes`;

/** @param {string | undefined} url */
function placeOf(url) {
  if (!url || !URL.canParse(url)) return { at: "DATABASE_URL", name: "", user: "the user" };
  const { hostname, port, pathname, username } = new URL(url);
  const name = decoded(pathname.slice(1));
  return {
    at: `${hostname}:${port || 5432}/${name}`,
    name,
    user: decoded(username),
  };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
