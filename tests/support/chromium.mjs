// Finds a Chromium for the browser tests: the system's, or Debian's packages, unpacked into a folder of the project. Nothing is
// installed on the system.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { MissingTool, prepareTool, unpackPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-chromium");
const ROOT = path.join(HOME, "root");
/** Starts the unpacked browser with its own libraries and fonts. */
const UNPACKED = path.join(HOME, "chromium");
/** Chromium without a user interface, which is 25% faster. Older systems have no package for it. */
const SHELL = "chromium-headless-shell";
const PROGRAMS = [SHELL, "chromium"].map((name) => path.join(ROOT, "usr/lib/chromium", name));
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const PLACES = [
  ...["/usr/bin", "/usr/local/bin", "/snap/bin"].flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Disables the sandbox, because the browser only visits our own server and often runs as root in a container. */
export const CHROMIUM_ARGS = ["--no-sandbox", "--disable-quic", "--disable-background-networking"];

/**
 * Finds a Chromium that starts. CHROMIUM_PATH selects a specific one.
 * @returns {string | null}
 */
export function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return starts(chosen) ? chosen : null;
  const inPath = (process.env.PATH ?? "")
    .split(path.delimiter)
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  const there = [...new Set([...inPath, ...PLACES, UNPACKED])].filter((file) => fs.existsSync(file));
  return there.find(starts) ?? null;
}

/** Loads a page, which requires all libraries and a font. */
function starts(file) {
  const args = ["--headless", "--disable-gpu", ...CHROMIUM_ARGS, "--dump-dom", "data:text/html,<p>ready"];
  const { stdout } = spawnSync(file, args, { encoding: "utf8", timeout: 30_000, stdio: ["ignore", "pipe", "ignore"] });
  return stdout?.includes("ready") ?? false;
}

/**
 * Fetches Chromium unless one is available.
 * @returns {Promise<string | null>} why the browser tests are skipped, or null
 */
export async function prepareChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return findChromium() ? null : `${chosen}, the value of CHROMIUM_PATH, could not be started`;
  return prepareTool(HOME, {
    title: "Fetching Chromium for the browser tests",
    isAvailable: () => findChromium() !== null,
    fetch: fetchChromium,
  });
}

async function fetchChromium() {
  await unpackPackages(HOME, [[SHELL, "chromium"], "fonts-dejavu-core"], "Chromium");
  writeStarter();
  if (starts(UNPACKED)) return;
  fs.rmSync(HOME, { recursive: true });
  throw new MissingTool("the Chromium unpacked from this system's packages could not be started");
}

function writeStarter() {
  // Some packages have libraries in a subfolder of the usual one.
  const libraries = ["usr/lib", "lib"].flatMap((place) => {
    const folder = path.join(ROOT, place);
    const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    const found = files.filter((name) => /^[^/]+-linux-[^/]+\/(.+\/)?lib[^/]+\.so[^/]*$/.test(name));
    return [...new Set(found.map((name) => path.join(folder, path.dirname(name))))].sort();
  });
  const fonts = path.join(HOME, "fonts.conf");
  const folders = [path.join(ROOT, "usr/share/fonts"), "/usr/share/fonts"].map((folder) => `<dir>${folder}</dir>`);
  fs.writeFileSync(
    fonts,
    `<fontconfig>${folders.join("")}<cachedir>${path.join(HOME, "fonts")}</cachedir></fontconfig>`,
  );
  const lines = [
    "#!/bin/sh",
    `export LD_LIBRARY_PATH='${libraries.join(":")}' FONTCONFIG_FILE='${fonts}'`,
    `exec '${PROGRAMS.find((file) => fs.existsSync(file))}' "$@"`,
  ];
  fs.writeFileSync(UNPACKED, `${lines.join("\n")}\n`, { mode: 0o755 });
}
