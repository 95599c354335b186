// Imported first by every script: an old Node.js is told so before it meets a module it can't run.
const NEEDED = [20, 19];

/**
 * One line when this version of Node.js is too old, else null.
 * @param {string} version
 */
export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return null;
  return `Crosswalk needs Node.js ${NEEDED.join(".")} or newer; this is ${version}. Get it from https://nodejs.org`;
}

const problem = nodeProblem(process.versions.node);
if (problem) {
  console.error(`✗ ${problem}`);
  process.exit(1);
}
