// The log of a command: a file of its own, for its results go to stdout.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { dataDir } from "./paths.mjs";

/**
 * Has a command's log go to a file of its own, unless the settings name one. The file is made by its first line.
 * @param {string} name of the command
 * @param {{ inData: boolean }} options whether it is kept in the data folder; in the temporary one otherwise, and where there is
 *   no data folder to write to
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
 * @returns {string | null} the file; null where there is none, or it can't be written
 */
export function logFailure(error) {
  const file = process.env.LOG_FILE;
  if (!file) return null;
  const { stack, message, code } = error instanceof Error ? error : { message: String(error) };
  // PostgreSQL's data exceptions quote values of rows.
  const err = /^2[23][0-9A-Z]{3}$/.test(code ?? "") ? { code } : { message, code, stack };
  const line = { level: 50, time: new Date().toISOString(), err, msg: "the command failed" };
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}

/** The sentence that names the command's log; empty where there is none. */
export function whereLogged() {
  const file = process.env.LOG_FILE;
  return file && fs.existsSync(file) ? `Log: ${file}` : "";
}
