// Database URLs. Plain JavaScript without packages, because the scripts need it before anything is installed.

const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([/?#].*)?$/s;
const TARGET = "target_session_attrs";
/** The values of libpq's parameter with which a server can write. */
const TARGETS = ["any", "read-write", "primary"];

/**
 * @typedef {object} DatabaseUrl
 * @property {string[]} urls a URL for each host, in the order in which they are tried
 * @property {"any" | "read-write" | "primary"} target which servers are accepted
 * @property {string} place hosts, ports and database, without the login
 * @property {string} name of the database
 * @property {string} user
 */

/**
 * Parses a database URL as libpq does: it can list several hosts with their ports (`postgresql://user:password@a:5432,b:5433/db`).
 *
 * @param {string} url
 * @returns {DatabaseUrl}
 * @throws {Error} with a message to follow the name of the setting. It never contains the URL, which has a password
 */
export function parseDatabaseUrl(url) {
  const [, login = "", hosts = "", rest = ""] = FORM.exec(url) ?? [];
  const parsed = hosts.split(",").map((host) => parse(login + host + rest));
  const [first] = parsed;
  const target = first.searchParams.get(TARGET) ?? (parsed.length > 1 ? "read-write" : "any");
  if (!TARGETS.includes(target)) throw new Error(`has a ${TARGET} that is not ${TARGETS.join(", ")}`);
  const name = decode(first.pathname.slice(1));
  return {
    urls: parsed.map((one) => withoutTarget(one)),
    target: /** @type {DatabaseUrl["target"]} */ (target),
    place: `${parsed.map(({ hostname, port }) => `${hostname}:${port || 5432}`).join(",")}/${name}`,
    name,
    user: decode(first.username),
  };
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
