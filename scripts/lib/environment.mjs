// What the programs we start get to see of the environment. It holds secrets (SECRET_KEY, database passwords, keys of the image store
// and of the OpenID provider), and any process of the same user can read the environment of another: programs get named variables only.

/** What any program needs to run. */
const SYSTEM = /^(PATH|TMPDIR|TEMP|TMP|TZ|LD_LIBRARY_PATH|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT)$/i;
/** What npm and the tools of the build look at besides: where they keep caches, how they reach a registry, how they print. */
const TOOLS =
  /^(HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_AUTH_TOKEN|NPM_\w+|(HTTPS?|NO|ALL)_PROXY|XDG_\w+|USERPROFILE|(LOCAL)?APPDATA)$/i;

function pick(...patterns) {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => patterns.some((one) => one.test(name))));
}

/** For the database's programs. */
export const systemEnvironment = () => pick(SYSTEM);

/** For npm and the tools of the build. */
export const toolEnvironment = () => pick(SYSTEM, TOOLS);
