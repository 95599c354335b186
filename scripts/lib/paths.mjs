import path from "node:path";

/** The folder the project is checked out in. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** A path inside the project. */
export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** Where everything a running installation keeps lies: database, password, secret key, images, demo.json. */
export const dataDir = () => path.resolve(ROOT, process.env.CROSSWALK_DATA_DIR || ".data");

/** A path inside the data folder. */
export const inData = (...parts) => path.join(dataDir(), ...parts);
