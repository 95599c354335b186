import { z } from "zod";
import { parseUrl } from "./parse-url";

/** Settings that are wrong: the message has one line for each, naming it. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(["The settings are wrong:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
    this.name = "SettingsError";
    this.problems = problems;
  }
}

const text = z.string();

function wholeNumber(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return text
    .regex(/^\d+$/, range)
    .transform(Number)
    .refine((value) => value >= min && value <= max, range);
}

function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}

function url(protocols: readonly string[]) {
  const forms = protocols.map((protocol) => `${protocol}//…`).join(" or ");
  const fits = (value: string) => protocols.includes(parseUrl(value)?.protocol ?? "");
  return text.refine(fits, { error: `must be a URL ${forms}`, abort: true });
}

/** Scheme, host and port alone: paths are the server's own. */
const origin = url(["http:", "https:"])
  .transform((value) => new URL(value))
  .refine(
    ({ href, origin }) => href === `${origin}/`,
    "must be a URL without a path, such as https://crosswalk.example.org",
  )
  .transform(({ origin }) => origin);

/** Whether a host name or an address, as in a URL or in HOST, is this machine's own. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Who signs the tokens of an OpenID provider (OpenID Connect Discovery §3): what it tells may not be changed on the way. */
const issuer = url(["http:", "https:"])
  .refine((value) => {
    const { protocol } = new URL(value);
    return protocol === "https:" || isLoopback(new URL(value).hostname);
  }, "must be https://…; http:// is for a provider on this machine alone")
  .refine((value) => {
    const { search, hash, pathname } = new URL(value);
    return search === "" && hash === "" && !pathname.includes("/.well-known/");
  }, "must be the issuer itself, without /.well-known/… and without a query");

const flag = oneOf(["true", "false"]).transform((value) => value === "true");

/** Every setting, with its default and what it is for. `.env.example` says the same, and a test compares them. */
export const settingsSchema = z.object({
  NODE_ENV: oneOf(["development", "production", "test"])
    .default("production")
    .describe("How the server runs. The scripts set it."),
  CHECK_ANSWERS: flag
    .optional()
    .describe("Whether answers are checked by their declarations. Unset: wherever NODE_ENV is not production."),
  PORT: wholeNumber(1, 65_535).prefault("3000").describe("Port the server listens on."),
  HOST: text
    .default("127.0.0.1")
    .describe("Address the server listens on. 0.0.0.0 opens it to the network, and needs PUBLIC_URL."),
  PUBLIC_URL: origin
    .optional()
    .describe(
      "Public address, for all links. Required with TRUST_PROXY or a HOST others can reach. Unset: http://localhost:PORT.",
    ),
  DATABASE_URL: url(["postgresql:", "postgres:"]).describe(
    "PostgreSQL 14 or newer. Unset: the scripts run a PostgreSQL of their own.",
  ),
  MIGRATION_DATABASE_URL: url(["postgresql:", "postgres:"])
    .optional()
    .describe(
      "The same database with the role that owns its tables, for migrations alone. Unset: DATABASE_URL does both, which start warns of.",
    ),
  DATABASE_POOL_SIZE: wholeNumber(1, 500)
    .prefault("10")
    .describe("Most database connections a process opens. A server opens all of them at its start, and keeps them."),
  LOG_LEVEL: oneOf(["silent", "fatal", "error", "warn", "info", "debug", "trace"])
    .default("info")
    .describe("Least important message that is logged."),
  LOG_FILE: text
    .optional()
    .describe("File the log is appended to. Unset: stdout, and for commands a file of their own, named if they fail."),
  SECRET_KEY: text
    .min(32, "must have at least 32 characters")
    .describe("Signs links and sessions; the same in every process. Unset: the scripts make one and keep it."),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000).prefault("200").describe("Requests a second per API client."),
  STAFF_RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000)
    .prefault("50")
    .describe("Requests a second per staff account, on average over ten seconds."),
  ADDRESS_RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000)
    .prefault("100")
    .describe("Pages, sign-ins and calls without valid credentials a second per address, on average over ten seconds."),
  MAX_CONNECTIONS: wholeNumber(10, 1_000_000)
    .prefault("1000")
    .describe("Most connections the server holds at once; a quarter of them for one address, unless TRUST_PROXY."),
  TOKEN_LIFETIME_SECONDS: wholeNumber(1, 31_536_000).prefault("36000").describe("How long an access token lives."),
  TOKEN_CACHE_MS: wholeNumber(0, 5_000)
    .prefault("2000")
    .describe("How long a process trusts a token it has looked up: the longest a revoked one still works."),
  WRONG_SECRET_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("10")
    .describe("Wrong client secrets a minute before the token endpoint refuses to check more."),
  STREAM_CONSUMER: oneOf(["inline", "worker"])
    .default("inline")
    .describe("Who consumes the stream and delivers webhooks: the server itself, or `npm run worker`."),
  STREAM_WAIT_MS: wholeNumber(0, 60_000)
    .prefault("2000")
    .describe("How long an answer waits for the other side before it says Sync-Status: pending."),
  STREAM_POLL_MS: wholeNumber(10, 60_000)
    .prefault("500")
    .describe("How often the stream looks for events it was not told of."),
  WEBHOOK_ALLOW_PRIVATE: flag
    .prefault("false")
    .describe("Whether webhooks may go to http, loopback and private addresses. Link-local ones never."),
  WEBHOOK_TIMEOUT_MS: wholeNumber(100, 60_000)
    .prefault("10000")
    .describe("How long one attempt to deliver a webhook may take, from look-up to the last byte."),
  WEBHOOK_FIRST_RETRY_MS: wholeNumber(10, 3_600_000)
    .prefault("5000")
    .describe("Pause after the first failed attempt; later ones grow threefold up to 6 hours, for 72 hours."),
  WEBHOOK_CONCURRENCY: wholeNumber(1, 1_000).prefault("32").describe("Webhooks a process delivers at once."),
  WEBHOOK_TARGET_CONCURRENCY: wholeNumber(1, 1_000)
    .prefault("8")
    .describe("Webhooks under way to one target at once, by all processes together."),
  CROSSWALK_DATA_DIR: text
    .default(".data")
    .describe("Folder of the embedded database, the secret key, demo.json and card images."),
  IMAGE_STORE: oneOf(["local", "s3"])
    .default("local")
    .describe("Where card images are kept: a local folder, or a bucket of any S3-compatible store."),
  IMAGE_STORE_DIR: text.optional().describe("Folder of card images. Unset: images in the data folder."),
  S3_ENDPOINT: url(["http:", "https:"]).optional().describe("Address of the S3-compatible store. Unset: Amazon S3."),
  S3_REGION: text.default("us-east-1").describe("Region of the bucket; most other stores take the default."),
  S3_BUCKET: text.optional().describe("Bucket of card images. Required with IMAGE_STORE=s3."),
  S3_ACCESS_KEY_ID: text
    .optional()
    .describe("Key of the store. Unset: what the AWS SDK finds (environment, profile, role of the machine)."),
  S3_SECRET_ACCESS_KEY: text.optional().describe("Secret of that key."),
  S3_PREFIX: text
    .default("")
    .describe("Put before every key in the bucket, such as crosswalk/; each installation needs its own."),
  S3_FORCE_PATH_STYLE: flag
    .prefault("false")
    .describe("Whether the bucket is named in the path instead of the host name, as most other stores want it."),
  CARD_IMAGE_URL_TTL_SECONDS: wholeNumber(1, 604_800)
    .prefault("300")
    .describe("How long a link to a card image works."),
  IMAGE_DECODERS: wholeNumber(1, 64)
    .prefault("2")
    .describe("Images a process decodes at once, each in a child process that may take up to 550 MB for the largest."),
  MAX_BODY_BYTES: wholeNumber(1_024, 1_073_741_824).prefault("16777216").describe("Largest request body."),
  MIGRATION_OPEN_RUNS: wholeNumber(1, 10_000)
    .prefault("50")
    .describe("Migration runs of a practice that may be open at once, before it can upload another file."),
  MIGRATION_STORED_BYTES: wholeNumber(1_048_576, 1_099_511_627_776)
    .prefault("17179869184")
    .describe("What a practice's migration runs may store: uploaded files that are not read yet, and card images."),
  IDEMPOTENCY_TTL_HOURS: wholeNumber(1, 8_760).prefault("24").describe("How long an Idempotency-Key is remembered."),
  // The database keeps them for 7 days in any case (ADR 0176).
  MIGRATION_RETENTION_DAYS: wholeNumber(7, 3_650)
    .prefault("90")
    .describe("Days the originals of a migration run are kept after it ended; it can be rolled back until then."),
  TRUST_PROXY: flag
    .prefault("false")
    .describe("Whether X-Forwarded-For is believed. Only behind a proxy that sets it."),
  STAFF_SESSION_HOURS: wholeNumber(1, 168).prefault("12").describe("How long a staff member stays signed in, at most."),
  STAFF_IDLE_MINUTES: wholeNumber(1, 10_080)
    .prefault("30")
    .describe("After how long without use a staff member is signed out."),
  WRONG_PASSWORD_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("10")
    .describe("Wrong passwords in 15 minutes, for one account from one address, before no more are checked."),
  WRONG_PASSWORD_ADDRESS_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("100")
    .describe("Wrong passwords in 15 minutes from one address, for all accounts together."),
  WRONG_PASSWORD_ACCOUNT_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("50")
    .describe("Wrong passwords in an hour for one account, from all addresses it has not signed in from before."),
  OIDC_ISSUER: issuer
    .optional()
    .describe(
      "Issuer of an OpenID provider staff may sign in with, by the e-mail address of their account, verified there.",
    ),
  OIDC_CLIENT_ID: text
    .optional()
    .describe("Crosswalk's client id there. Its redirect URI is PUBLIC_URL with /api/auth/callback/oidc."),
  OIDC_CLIENT_SECRET: text.optional().describe("Crosswalk's client secret there."),
  OIDC_NAME: text.default("your organization").describe("What the sign-in page calls it: Continue with …"),
});

type Settings = z.output<typeof settingsSchema>;
export type Config = Readonly<Settings & { IMAGE_STORE_DIR: string; CHECK_ANSWERS: boolean }>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset.
 *
 * @throws {SettingsError} listing everything that is wrong; values are not repeated, some are secrets
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(settingsSchema.shape).map((name) => [name, env[name]?.trim() || undefined]),
  );
  const parsed = settingsSchema.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => describeIssue(issue, given)),
    ...missingOfS3(given),
    ...missingOfOidc(given),
    ...missingPublicUrl(given),
  ];
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  const settings = parsed.data;
  return Object.freeze({
    ...settings,
    CHECK_ANSWERS: settings.CHECK_ANSWERS ?? settings.NODE_ENV !== "production",
    IMAGE_STORE_DIR: settings.IMAGE_STORE_DIR ?? `${settings.CROSSWALK_DATA_DIR}/images`,
  });
}

/** What IMAGE_STORE=s3 can't do without. */
function missingOfS3(given: Record<string, string | undefined>): string[] {
  if (given.IMAGE_STORE !== "s3") return [];
  const pair = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;
  const [lacking, ...both] = pair.filter((name) => given[name] === undefined);
  const halves =
    lacking && both.length === 0 ? [`${lacking} is required with ${pair.find((name) => name !== lacking)}`] : [];
  return [...(given.S3_BUCKET === undefined ? ["S3_BUCKET is required with IMAGE_STORE=s3"] : []), ...halves];
}

/** An OpenID provider is named whole or not at all. */
function missingOfOidc(given: Record<string, string | undefined>): string[] {
  const names = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"];
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map((name) => `${name} is required with ${names.find((other) => !missing.includes(other))}`);
}

/** Links are never made from what a request says, so whoever can reach the server has to be told its address by a setting. */
function missingPublicUrl(given: Record<string, string | undefined>): string[] {
  if (given.PUBLIC_URL !== undefined) return [];
  const example = "such as https://crosswalk.example.org";
  if (given.HOST !== undefined && !isLoopback(given.HOST))
    return [`PUBLIC_URL is required where HOST is not this machine alone, ${example}`];
  return given.TRUST_PROXY === "true" ? [`PUBLIC_URL is required with TRUST_PROXY=true, ${example}`] : [];
}

/** What is unsafe about where the server can be reached, for the console and the log at start. One sentence or two each. */
export function exposureWarnings(settings: Pick<Config, "HOST" | "PUBLIC_URL" | "TRUST_PROXY">): string[] {
  const { HOST, PUBLIC_URL, TRUST_PROXY } = settings;
  if (isLoopback(HOST)) return [];
  const open = `HOST=${HOST} opens this server to the network, and it speaks plain HTTP.`;
  if (!PUBLIC_URL?.startsWith("https:"))
    return [
      `${open} Passwords, tokens and patient data can be read on the way, and staff can't sign in from another machine. Put a proxy with TLS in front and set PUBLIC_URL=https://… and TRUST_PROXY=true, or set HOST=127.0.0.1.`,
    ];
  if (TRUST_PROXY) return [];
  return [
    `${open} PUBLIC_URL is https, so a proxy with TLS has to be in front: set TRUST_PROXY=true for it. Otherwise all callers count as one address in limits and in the audit.`,
  ];
}

function describeIssue(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} ${given[name] === undefined ? "is required" : issue.message}`;
}

const shared = globalThis as { crosswalkConfig?: Config };

/** The settings of this process, read on first use. */
export function config(): Config {
  shared.crosswalkConfig ??= loadConfig(process.env);
  return shared.crosswalkConfig;
}

/** The file the log goes to; null for stdout. */
export function logFile(): string | null {
  return process.env.LOG_FILE || null;
}

/** The log level alone: a logger is made before anything else, and a wrong setting must not keep it from telling so. */
export function logLevel(): string {
  const parsed = settingsSchema.shape.LOG_LEVEL.safeParse(process.env.LOG_LEVEL || undefined);
  return parsed.success ? parsed.data : "info";
}
