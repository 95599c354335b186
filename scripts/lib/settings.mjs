// Settings of a script: .env, generated defaults, and validation by lib/platform/config.ts.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { toolEnvironment } from "./environment.mjs";
import { dataDir, inData, inRoot, isRelease, ROOT } from "./paths.mjs";
import { Failure } from "./progress.mjs";
import { onceFor } from "./stamp.mjs";

/** A placeholder for checks and builds before the database exists. */
const NO_DATABASE_YET = "postgresql://none@127.0.0.1/none";

/**
 * Loads .env, which the environment overrides, and sets defaults for what a fresh checkout has no value for.
 * @param {{ nodeEnv: string, keepsSecret?: boolean }} options `keepsSecret: false` for programs that sign nothing: no data folder is created
 */
export function loadSettings({ nodeEnv, keepsSecret = true }) {
  if (fs.existsSync(inRoot(".env"))) process.loadEnvFile(inRoot(".env"));
  process.env.NODE_ENV = nodeEnv;
  process.env.CROSSWALK_DATA_DIR = dataDir();
  process.env.NEXT_TELEMETRY_DISABLED ??= "1";
  // The version is pinned, so its requirements of Node can't change unnoticed.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  process.env.SECRET_KEY ||= keepsSecret || fs.existsSync(inData("secret.key")) ? keptSecret() : newSecret();
}

/**
 * Allows webhooks to receivers on this machine, unless the settings forbid it. For a database with the demo. Call it before anything
 * reads the settings.
 */
export function setDemoSettings() {
  process.env.WEBHOOK_ALLOW_PRIVATE ||= "true";
}

const newSecret = () => randomBytes(32).toString("base64url");

/** Returns the key, which is created once, so that links signed before a restart stay valid. */
function keptSecret() {
  const file = inData("secret.key");
  try {
    if (!fs.existsSync(file)) {
      fs.mkdirSync(dataDir(), { recursive: true });
      // "wx": if two processes start at once, the second uses the key of the first.
      fs.writeFileSync(file, `${newSecret()}\n`, { mode: 0o600, flag: "wx" });
    }
  } catch (error) {
    if (error.code !== "EEXIST") throw new Failure(`the data folder ${dataDir()} can't be written: ${error.message}`);
  }
  return fs.readFileSync(file, "utf8").trim();
}

/** lib/platform/config.ts as a bundle with its packages, which loads several times faster. A release has it, too. */
const CONFIG = "build/settings/config.mjs";

/** Bundles lib/platform/config.ts, unless the same sources are already bundled. */
export async function bundleConfig() {
  await onceFor({
    stamp: "build/settings.stamp",
    inputs: ["lib/platform", "tsconfig.json", "package-lock.json"],
    results: [CONFIG],
    work: async () => {
      const { build } = await import("esbuild");
      const places = { entryPoints: ["lib/platform/config.ts"], outfile: CONFIG, absWorkingDir: ROOT };
      await build({ ...places, bundle: true, format: "esm", platform: "node" });
    },
  });
}

/**
 * Validates and returns the settings, with `warnings` about unsafe ones. A SettingsError lists all that are invalid. Requires installed
 * packages.
 */
export async function checkSettings() {
  if (!isRelease()) await bundleConfig();
  const { loadConfig, exposureWarnings } = await import(pathToFileURL(inRoot(CONFIG)).href);
  const settings = loadConfig({ ...process.env, DATABASE_URL: process.env.DATABASE_URL || NO_DATABASE_YET });
  return { ...settings, warnings: exposureWarnings(settings) };
}

/** Returns the environment of a build. It has no secrets of the installation that could end up in bundles or be read by packages. */
export const buildEnvironment = () => ({
  ...toolEnvironment(),
  NODE_ENV: "production",
  DATABASE_URL: NO_DATABASE_YET,
  SECRET_KEY: "of a build, which signs nothing and is thrown away",
  NEXT_TELEMETRY_DISABLED: "1",
  CHECKPOINT_DISABLE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
});
