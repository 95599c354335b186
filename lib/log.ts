import pino from "pino";
import { logLevel } from "./config";

/** One JSON line an event on stdout. Names, dates of birth and bodies never go into it: ids and codes do. */
export const log = pino({ level: logLevel(), base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
