// The log of a command. It goes to a separate file, because results go to stdout.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { serializeError } from "../../lib/platform/serialize-error.mjs";
import { dataDir } from "./paths.mjs";

/**
 * Sends a command's log to a separate file, unless the settings name one. The first line creates the file.
 * @param {string} name of the command
 * @param {{ inData: boolean }} options whether the file is in the data folder, if that is writable. Otherwise it is in the
 *   temporary folder.
 */
export function logToFile(name, { inData }) {
  process.env.LOG_LEVEL ||= "warn";
  const kept = inData && isWritable(dataDir());
  const folder = kept ? path.join(dataDir(), "logs") : os.tmpdir();
  const time = new Date().toISOString().replace(/[-:]/g, "").slice(0, 15);
  process.env.LOG_FILE ||= path.join(folder, `${kept ? "" : "crosswalk-"}${name}-${time}-${process.pid}.log`);
}

function isWritable(folder) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Appends an error to the command's log.
 * @param {unknown} error
 * @returns {string | null} the file, or null if logs don't go to a file or it can't be written
 */
export function logFailure(error) {
  const file = process.env.LOG_FILE;
  if (!file) return null;
  const line = { level: 50, time: new Date().toISOString(), err: serializeError(error), msg: "the command failed" };
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}

/** Returns a sentence that names the command's log, or an empty string without one. */
export function whereLogged() {
  const file = process.env.LOG_FILE;
  return file && fs.existsSync(file) ? `Log: ${file}` : "";
}
