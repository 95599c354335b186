import fs from "node:fs";
import path from "node:path";

/** The root folder of the project. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** Returns a path in the project. */
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** Returns whether this is a release (`npm run release`): it is built, and has only the packages that it loads. */
export const isRelease = () => !fs.existsSync(inRoot("package-lock.json"));

/** Returns the data folder of an installation: database, password, secret key, images, demo.json. */
export const dataDir = () => path.resolve(ROOT, process.env.CROSSWALK_DATA_DIR || ".data");

/** Returns a path in the data folder. */
export const inData = (...parts) => path.join(dataDir(), ...parts);
