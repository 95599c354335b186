// The environment of programs we start. Ours holds secrets (SECRET_KEY, database passwords, keys of the image store and the OpenID
// provider), and any process of the same user can read the environment of another. So programs get only named variables.

/** Variables for any program. */
const SYSTEM = /^(PATH|TMPDIR|TEMP|TMP|TZ|LD_LIBRARY_PATH|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT)$/i;
/** Variables for npm and build tools: caches, registries, output. */
const TOOLS =
  /^(HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_AUTH_TOKEN|NPM_\w+|(HTTPS?|NO|ALL)_PROXY|XDG_\w+|USERPROFILE|(LOCAL)?APPDATA)$/i;

function pick(...patterns) {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => patterns.some((one) => one.test(name))));
}

/** Returns the environment of the database's programs. */
export const systemEnvironment = () => pick(SYSTEM);

/** Returns the environment of npm and build tools. */
export const toolEnvironment = () => pick(SYSTEM, TOOLS);
