// Database URLs. Plain JavaScript without packages, because the scripts need it before anything is installed.

const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([/?#].*)?$/s;
const TARGET = "target_session_attrs";
/** The values of libpq's parameter with which a server can write. */
export const WRITABLE = ["any", "read-write", "primary"];
/** The values for a replica. */
export const READABLE = ["any", "standby", "prefer-standby"];

/**
 * @typedef {object} DatabaseUrl
 * @property {string[]} urls a URL for each host, in the order in which they are tried
 * @property {"any" | "read-write" | "primary" | "standby"} target which servers are accepted
 * @property {string} place hosts, ports and database, without the login
 * @property {string} name of the database
 * @property {string} user
 */

/**
 * Parses a database URL as libpq does: it can list several hosts with their ports (`postgresql://user:password@a:5432,b:5433/db`).
 *
 * @param {string} url
 * @param {readonly string[]} [targets] accepted values of `target_session_attrs`
 * @returns {DatabaseUrl}
 * @throws {Error} with a message to follow the name of the setting. It never contains the URL, which has a password
 */
export function parseDatabaseUrl(url, targets = [...WRITABLE, ...READABLE]) {
  const [, login = "", hosts = "", rest = ""] = FORM.exec(url) ?? [];
  const parsed = hosts.split(",").map((host) => parse(login + host + rest));
  const [first] = parsed;
  const target = first.searchParams.get(TARGET) ?? (parsed.length > 1 ? "read-write" : "any");
  if (!targets.includes(target)) throw new Error(`has a ${TARGET} that is not ${targets.join(", ")}`);
  const name = decode(first.pathname.slice(1));
  return {
    urls: parsed.map((one) => withoutTarget(one)),
    // Without a standby, prefer-standby means the primary, which serves such reads anyway.
    target: /** @type {DatabaseUrl["target"]} */ (target === "prefer-standby" ? "standby" : target),
    place: `${parsed.map(({ hostname, port }) => `${hostname}:${port || 5432}`).join(",")}/${name}`,
    name,
    user: decode(first.username),
  };
}

/**
 * Returns the URL of a replica: only standbys are used, unless it says otherwise.
 *
 * @param {string} url
 */
export function toReplicaUrl(url) {
  // The first value counts.
  return `${url}${url.includes("?") ? "&" : "?"}${TARGET}=standby`;
}

/**
 * Returns a database URL with another login.
 *
 * @param {string} url
 * @param {{ user: string, password: string }} login
 */
export function withLogin(url, { user, password }) {
  return url.replace(FORM, (_url, login, hosts, rest = "") => {
    const scheme = login.slice(0, login.indexOf("//") + 2);
    return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hosts}${rest}`;
  });
}

/** @param {string} url */
function parse(url) {
  try {
    return new URL(url);
  } catch {
    throw new Error("must be a URL postgresql://… or postgres://…");
  }
}

/** @param {URL} url */
function withoutTarget(url) {
  if (url.searchParams.has(TARGET)) url.searchParams.delete(TARGET);
  return url.href;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
