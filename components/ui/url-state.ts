import { createParser } from "nuqs";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Parses an ISO 8601 timestamp with a zone in the URL. Ignores anything else. */
export const parseAsInstant = createParser<string>({
  parse: (text) => (INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: (instant) => instant,
});

/** Parses the offset of a page in the URL. Anything else means the first page. */
export const parseAsOffset = createParser<number>({
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  serialize: String,
}).withDefault(0);
