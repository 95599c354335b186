// Settings of a script: .env, what is made and kept when unset, and the check of all of them by lib/platform/config.ts.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { toolEnvironment } from "./environment.mjs";
import { dataDir, inData, inRoot } from "./paths.mjs";
import { Failure } from "./progress.mjs";

/** Stands in where settings are checked or code is built before the database is there. */
const NO_DATABASE_YET = "postgresql://none@127.0.0.1/none";

/**
 * Loads .env (what the environment says already wins) and fills in what a fresh checkout has no value for.
 * @param {{ nodeEnv: string, keepsSecret?: boolean }} options `keepsSecret: false` for what signs nothing: it makes no data folder
 */
export function loadSettings({ nodeEnv, keepsSecret = true }) {
  if (fs.existsSync(inRoot(".env"))) process.loadEnvFile(inRoot(".env"));
  process.env.NODE_ENV = nodeEnv;
  process.env.CROSSWALK_DATA_DIR = dataDir();
  process.env.NEXT_TELEMETRY_DISABLED ??= "1";
  // Its version is pinned: what later ones will want of Node concerns whoever raises it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  process.env.SECRET_KEY ||= keepsSecret || fs.existsSync(inData("secret.key")) ? keptSecret() : newSecret();
}

/**
 * Allows webhooks to receivers on this machine, unless the settings say otherwise: for a database that has the demo, or is about
 * to get it. Whatever writes the demo reads the settings, once for all.
 */
export function setDemoSettings() {
  process.env.WEBHOOK_ALLOW_PRIVATE ||= "true";
}

const newSecret = () => randomBytes(32).toString("base64url");

/** The key is made once: links signed before a restart stay good after it. */
function keptSecret() {
  const file = inData("secret.key");
  try {
    if (!fs.existsSync(file)) {
      fs.mkdirSync(dataDir(), { recursive: true });
      // "wx": of two starts at once the second takes the first one's key.
      fs.writeFileSync(file, `${newSecret()}\n`, { mode: 0o600, flag: "wx" });
    }
  } catch (error) {
    if (error.code !== "EEXIST") throw new Failure(`the data folder ${dataDir()} can't be written: ${error.message}`);
  }
  return fs.readFileSync(file, "utf8").trim();
}

/**
 * Checks every setting and returns them, with `warnings` of what is unsafe about them; a Failure lists all that is wrong. Needs
 * installed packages.
 */
export async function checkSettings() {
  const { build } = await import("esbuild");
  const outfile = inRoot("build", `config-${process.pid}.mjs`);
  await build({
    entryPoints: [inRoot("lib/platform/config.ts")],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
  });
  try {
    const { loadConfig, exposureWarnings } = await import(pathToFileURL(outfile).href);
    const settings = loadConfig({ ...process.env, DATABASE_URL: process.env.DATABASE_URL || NO_DATABASE_YET });
    return { ...settings, warnings: exposureWarnings(settings) };
  } catch (error) {
    if (error.name === "SettingsError") throw new Failure(error.message);
    throw error;
  } finally {
    fs.rmSync(outfile, { force: true });
  }
}

/** The environment of a build: complete, and without anything of the installation that could be built in or read by a package. */
export const buildEnvironment = () => ({
  ...toolEnvironment(),
  NODE_ENV: "production",
  DATABASE_URL: NO_DATABASE_YET,
  SECRET_KEY: "of a build, which signs nothing and is thrown away",
  NEXT_TELEMETRY_DISABLED: "1",
  CHECKPOINT_DISABLE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
});
