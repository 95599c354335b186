import { z } from "zod";

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
  const fits = (value: string) => URL.canParse(value) && protocols.includes(new URL(value).protocol);
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

const isOwnMachine = ({ hostname }: URL) => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);

/** Who signs the tokens of an OpenID provider (OpenID Connect Discovery §3): what it tells may not be changed on the way. */
const issuer = url(["http:", "https:"])
  .refine((value) => {
    const { protocol } = new URL(value);
    return protocol === "https:" || isOwnMachine(new URL(value));
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
  HOST: text.default("0.0.0.0").describe("Address the server listens on; 127.0.0.1 keeps it to this machine."),
  PUBLIC_URL: origin
    .optional()
    .describe(
      "Public address, for links in answers and webhooks. Unset: taken from the request, in webhooks localhost.",
    ),
  DATABASE_URL: url(["postgresql:", "postgres:"]).describe(
    "PostgreSQL 14 or newer. Unset: the scripts run a PostgreSQL of their own.",
  ),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).prefault("10").describe("Most database connections a process opens."),
  LOG_LEVEL: oneOf(["silent", "fatal", "error", "warn", "info", "debug", "trace"])
    .default("info")
    .describe("Least important message that is logged."),
  SECRET_KEY: text
    .min(32, "must have at least 32 characters")
    .describe("Signs links and sessions; the same in every process. Unset: the scripts make one and keep it."),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000).prefault("200").describe("Requests a second per API client."),
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
  MAX_BODY_BYTES: wholeNumber(1_024, 1_073_741_824).prefault("16777216").describe("Largest request body."),
  IDEMPOTENCY_TTL_HOURS: wholeNumber(1, 8_760).prefault("24").describe("How long an Idempotency-Key is remembered."),
  TRUST_PROXY: flag
    .prefault("false")
    .describe("Whether X-Forwarded-For, -Host and -Proto are believed. Only behind a proxy that sets them."),
  STAFF_SESSION_HOURS: wholeNumber(1, 168).prefault("12").describe("How long a staff member stays signed in, at most."),
  STAFF_IDLE_MINUTES: wholeNumber(1, 10_080)
    .prefault("30")
    .describe("After how long without use a staff member is signed out."),
  WRONG_PASSWORD_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("10")
    .describe("Wrong passwords in 15 minutes, for one account from one address, before no more are checked."),
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

function describeIssue(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} ${given[name] === undefined ? "is required" : issue.message}`;
}

let loaded: Config | undefined;

/** The settings of this process, read on first use. */
export function config(): Config {
  loaded ??= loadConfig(process.env);
  return loaded;
}

/** The log level alone: a logger is made before anything else, and a wrong setting must not keep it from telling so. */
export function logLevel(): string {
  const parsed = settingsSchema.shape.LOG_LEVEL.safeParse(process.env.LOG_LEVEL || undefined);
  return parsed.success ? parsed.data : "info";
}
