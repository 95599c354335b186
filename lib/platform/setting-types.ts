import { z } from "zod";
import { parseDatabaseUrl, WRITABLE } from "./db/database-url.mjs";
import { parseUrl } from "./parse-url";

// Types of settings. The messages end a sentence that begins with the name of the setting.

/** Any text. */
export const text = z.string();

/** A whole number within a range. */
export function wholeNumber(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return text
    .regex(/^\d+$/, range)
    .transform(Number)
    .refine((value) => value >= min && value <= max, range);
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}

/** A URL with one of these protocols, such as `https:`. */
export function url(protocols: readonly string[]) {
  const forms = protocols.map((protocol) => `${protocol}//…`).join(" or ");
  const fits = (value: string) => protocols.includes(parseUrl(value)?.protocol ?? "");
  return text.refine(fits, { error: `must be a URL ${forms}`, abort: true });
}

/** The URL of a PostgreSQL database, which can list several hosts. */
export function urlOfDatabase(targets: readonly string[]) {
  return text.superRefine((value, context) => {
    try {
      parseDatabaseUrl(value, targets);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  });
}

/** The URL of a database that accepts writes. */
export const databaseUrl = urlOfDatabase(WRITABLE);

/** A URL without a path. */
export const origin = url(["http:", "https:"])
  .transform((value) => new URL(value))
  .refine(
    ({ href, origin }) => href === `${origin}/`,
    "must be a URL without a path, such as https://crosswalk.example.org",
  )
  .transform(({ origin }) => origin);

/** Returns whether a hostname or address, as in a URL or in HOST, is the loopback interface. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** The issuer of an OpenID provider (OpenID Connect Discovery §3). Requires TLS, so that its metadata can't be changed in transit. */
export const issuer = url(["http:", "https:"])
  .refine((value) => {
    const { protocol } = new URL(value);
    return protocol === "https:" || isLoopback(new URL(value).hostname);
  }, "must be https://…; http:// is for a provider on this machine alone")
  .refine((value) => {
    const { search, hash, pathname } = new URL(value);
    return search === "" && hash === "" && !pathname.includes("/.well-known/");
  }, "must be the issuer itself, without /.well-known/… and without a query");

/** true or false. */
export const flag = oneOf(["true", "false"]).transform((value) => value === "true");
