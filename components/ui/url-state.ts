import { createParser } from "nuqs";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** An instant in the URL, ISO 8601 with its zone; what is none counts as not given. */
export const parseAsInstant = createParser<string>({
  parse: (text) => (INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: (instant) => instant,
});

/** How many rows come before the page, in the URL; what is no such number is the first page. */
export const parseAsOffset = createParser<number>({
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  serialize: String,
}).withDefault(0);
