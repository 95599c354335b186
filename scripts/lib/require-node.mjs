// Imported first by every script, so that an old Node.js shows a clear error before it loads a module that it can't run.
const NEEDED = [20, 19];

/**
 * Returns an error in one line if this version of Node.js is too old, or null.
 * @param {string} version
 */
export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return null;
  return `Crosswalk needs Node.js ${NEEDED.join(".")} or later. This is ${version}. Download it from https://nodejs.org`;
}

const problem = nodeProblem(process.versions.node);
if (problem) {
  console.error(`✗ ${problem}`);
  process.exit(1);
}
