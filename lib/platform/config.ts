import { z } from "zod";
import { parseDatabaseUrl, READABLE, toReplicaUrl } from "./db/database-url.mjs";
import { processWide } from "./objects";
import {
  databaseUrl,
  flag,
  isLoopback,
  issuer,
  oneOf,
  origin,
  text,
  url,
  urlOfDatabase,
  wholeNumber,
} from "./setting-types";

/** Thrown for invalid settings. The message has one line per problem. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(["The settings are wrong:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** A bucket, and the prefix of its keys. */
export const S3_FOLDER = /^s3:\/\/([^/]+)\/(.*)$/;

/** Every setting with its default and description. A test compares them with `.env.example`. */
export const settingsSchema = z.object({
  NODE_ENV: oneOf(["development", "production", "test"])
    .default("production")
    .describe("Mode of the server. The scripts set it."),
  CHECK_RESPONSES: flag
    .optional()
    .describe("Whether the server validates its responses. Default: true unless NODE_ENV is production."),
  PORT: wholeNumber(1, 65_535).prefault("3000").describe("Port the server listens on."),
  HOST: text
    .default("127.0.0.1")
    .describe("Address the server listens on. 0.0.0.0 opens it to the network and requires PUBLIC_URL."),
  STOP_DELAY_MS: wholeNumber(0, 60_000)
    .prefault("0")
    .describe(
      "How long a stopping server still accepts requests while /readyz returns 503, so that load balancers can take it out first.",
    ),
  METRICS_PORT: wholeNumber(1, 65_535)
    .optional()
    .describe(
      "Port for /metrics, /healthz and /readyz. Each server and worker on a machine needs its own. Default: no metrics.",
    ),
  METRICS_HOST: text
    .default("127.0.0.1")
    .describe("Address for metrics, which need no token. Open it only to the network of Prometheus."),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(["http:", "https:"])
    .optional()
    .describe(
      "OpenTelemetry collector for traces, such as http://localhost:4318. OpenTelemetry's other variables work as well. Default: no traces.",
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(["http:", "https:"])
    .optional()
    .describe(
      "Full URL for traces, such as http://localhost:4318/v1/traces. Default: OTEL_EXPORTER_OTLP_ENDPOINT and /v1/traces.",
    ),
  OTEL_SERVICE_NAME: text
    .optional()
    .describe("Name of this process in traces. Default: crosswalk-server or crosswalk-worker."),
  PUBLIC_URL: origin
    .optional()
    .describe(
      "Public URL, used in all links. Required with TRUST_PROXY or if other machines can reach HOST. Default: http://localhost:PORT.",
    ),
  DATABASE_URL: databaseUrl.describe(
    "PostgreSQL 14 or newer. Several hosts are tried in order: postgresql://user:password@a:5432,b:5432/crosswalk. Default: the bundled PostgreSQL.",
  ),
  DIRECT_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      "The same database and role without PgBouncer, for locks and notifications. Required if DATABASE_URL points to PgBouncer. Default: DATABASE_URL.",
    ),
  MIGRATION_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      "The same database with the role that owns its tables, for migrations. Default: DATABASE_URL, with a warning at each start.",
    ),
  DATABASE_REPLICA_URL: text
    .transform(toReplicaUrl)
    .pipe(urlOfDatabase(READABLE))
    .optional()
    .describe(
      "Standbys of the same database. Lists, searches and exports read from the first that responds, or from the primary if it lags behind. Default: all reads go to the primary.",
    ),
  DATABASE_POOL_SIZE: wholeNumber(1, 500)
    .prefault("10")
    .describe(
      "Maximum connections in the database pool of a process. A server or worker opens all of them when it starts. Probes, background work and migration runs need a few more.",
    ),
  LOG_LEVEL: oneOf(["silent", "fatal", "error", "warn", "info", "debug", "trace"])
    .default("info")
    .describe("Minimum level of log messages."),
  LOG_FILE: text
    .optional()
    .describe(
      "File for the log. Default: standard output. Commands use a file in the data folder and name it if they fail.",
    ),
  SECRET_KEY: text
    .min(32, "must have at least 32 characters")
    .describe(
      "Signs links and sessions. Use the same value in every process. Default: generated and stored in the data folder.",
    ),
  REDIS_URL: url(["redis:", "rediss:"])
    .optional()
    .describe(
      "URL of a Redis or Valkey server in which servers share rate limits. Default: each server counts separately.",
    ),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000).prefault("200").describe("Requests per second for an API client."),
  STAFF_RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000)
    .prefault("50")
    .describe("Requests per second for a staff account, averaged over ten seconds."),
  ADDRESS_RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000)
    .prefault("100")
    .describe(
      "Pages, sign-ins and calls without valid credentials per second for an address, averaged over ten seconds.",
    ),
  MAX_CONNECTIONS: wholeNumber(10, 1_000_000)
    .prefault("1000")
    .describe("Maximum open connections. Without TRUST_PROXY, one address can use a quarter of them."),
  TOKEN_LIFETIME_SECONDS: wholeNumber(1, 31_536_000).prefault("36000").describe("Lifetime of an access token."),
  TOKEN_CACHE_MS: wholeNumber(0, 5_000)
    .prefault("2000")
    .describe("How long a process caches a token. A revoked token can work for this long."),
  WRONG_SECRET_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("10")
    .describe("Wrong client secrets per minute before the token endpoint rejects further attempts."),
  STREAM_CONSUMER: oneOf(["inline", "worker"])
    .default("inline")
    .describe("What replicates changes and delivers webhooks: the server (inline) or `npm run worker` (worker)."),
  STREAM_WAIT_MS: wholeNumber(0, 60_000)
    .prefault("2000")
    .describe("How long a response waits for replication before it returns Sync-Status: pending."),
  STREAM_POLL_MS: wholeNumber(10, 60_000).prefault("500").describe("How often replication looks for missed events."),
  WEBHOOK_ALLOW_PRIVATE: flag
    .prefault("false")
    .describe("Whether webhooks can use http, loopback and private addresses. Link-local addresses are never allowed."),
  WEBHOOK_TIMEOUT_MS: wholeNumber(100, 60_000)
    .prefault("10000")
    .describe("Timeout of a delivery attempt, from the DNS lookup to the last byte."),
  WEBHOOK_FIRST_RETRY_MS: wholeNumber(10, 3_600_000)
    .prefault("5000")
    .describe(
      "Pause after the first failed attempt. Each later pause is three times as long, up to 6 hours, for 72 hours.",
    ),
  WEBHOOK_CONCURRENCY: wholeNumber(1, 1_000).prefault("64").describe("Concurrent deliveries of a process."),
  WEBHOOK_TARGET_CONCURRENCY: wholeNumber(1, 1_000)
    .prefault("8")
    .describe("Concurrent deliveries to one target, across all processes."),
  WEBHOOK_TEST_LIMIT: wholeNumber(1, 1_000_000).prefault("10").describe("Test events per minute of a subscription."),
  ELIGIBILITY_URL: url(["http:", "https:"])
    .optional()
    .describe(
      "Eligibility endpoint of a clearinghouse, in the JSON form of Optum and Stedi. WEBHOOK_ALLOW_PRIVATE applies to it. Default: a simulator, which asks no payer.",
    ),
  ELIGIBILITY_TOKEN: text
    .optional()
    .describe("Authorization header for the clearinghouse, such as Bearer and a token. Default: none."),
  ELIGIBILITY_TIMEOUT_MS: wholeNumber(100, 60_000)
    .prefault("10000")
    .describe("Timeout of an eligibility check, from the DNS lookup to the last byte."),
  CROSSWALK_DATA_DIR: text
    .default(".data")
    .describe("Data folder: the bundled database, secret key, demo.json and card images."),
  IMAGE_STORE: oneOf(["local", "s3"])
    .default("local")
    .describe("Where card images are stored: a local folder or an S3-compatible bucket."),
  IMAGE_STORE_DIR: text.optional().describe("Folder of card images. Default: images in the data folder."),
  S3_ENDPOINT: url(["http:", "https:"]).optional().describe("URL of the S3-compatible store. Default: Amazon S3."),
  S3_REGION: text.default("us-east-1").describe("Region of the bucket. Most other stores accept the default."),
  S3_BUCKET: text.optional().describe("Bucket of card images. Required with IMAGE_STORE=s3."),
  S3_ACCESS_KEY_ID: text
    .optional()
    .describe("Access key ID of the store. Default: what the AWS SDK finds (environment, profile, machine role)."),
  S3_SECRET_ACCESS_KEY: text.optional().describe("Secret of the access key."),
  S3_PREFIX: text
    .default("")
    .describe("Prefix of every key in the bucket, such as crosswalk/. Use a different one for each installation."),
  S3_FORCE_PATH_STYLE: flag
    .prefault("false")
    .describe("Whether the bucket is part of the path instead of the hostname. Most other stores require it."),
  AUDIT_ANCHORS: text
    .refine((value) => !value.startsWith("s3:") || S3_FOLDER.test(value), "must be a file or s3://BUCKET/PREFIX")
    .optional()
    .describe(
      "Where the hash of each sealed audit block is written: a file, or s3://BUCKET/PREFIX in the store that S3_… selects. Default: nowhere.",
    ),
  CARD_IMAGE_URL_TTL_SECONDS: wholeNumber(1, 604_800).prefault("300").describe("Lifetime of a link to a card image."),
  IMAGE_DECODERS: wholeNumber(1, 64)
    .prefault("2")
    .describe("Concurrent image decoders of a process. Each is a child process that can use up to 550 MB."),
  MAX_BODY_BYTES: wholeNumber(1_024, 1_073_741_824).prefault("16777216").describe("Maximum size of a request body."),
  MIGRATION_OPEN_RUNS: wholeNumber(1, 10_000)
    .prefault("50")
    .describe("Maximum open migration runs of a practice. Further uploads are rejected."),
  MIGRATION_STORED_BYTES: wholeNumber(1_048_576, 1_099_511_627_776)
    .prefault("17179869184")
    .describe("Maximum storage for a practice's migration runs: uploaded files until they are read, and card images."),
  IDEMPOTENCY_TTL_HOURS: wholeNumber(1, 8_760).prefault("24").describe("How long an Idempotency-Key is valid."),
  SMTP_URL: url(["smtp:", "smtps:"])
    .optional()
    .describe("Mail server for alerts, such as smtps://user:password@mail.example.org. Default: no email."),
  ALERT_FROM: z.email().optional().describe("Sender of alerts. Required with SMTP_URL."),
  ALERT_WEBHOOK_URL: url(["https:"])
    .optional()
    .describe("URL of a Slack-compatible incoming webhook. Receives the alerts of all practices. Default: none."),
  // The database keeps the audit for six years in any case (ADR 0195).
  AUDIT_RETENTION_DAYS: wholeNumber(2_192, 36_525)
    .prefault("2192")
    .describe(
      "How many days audit entries and ended staff sessions are kept. Audit entries are removed by whole calendar years.",
    ),
  // Longer than an event is retried.
  EVENT_RETENTION_DAYS: wholeNumber(7, 3_650)
    .prefault("30")
    .describe("How many days webhook events and their attempts are kept after the change, delivered or not."),
  REPLICATION_RETENTION_DAYS: wholeNumber(1, 3_650)
    .prefault("30")
    .describe("How many days replication events are kept after they were acknowledged or discarded."),
  // Pages show the last 30 days.
  USAGE_RETENTION_DAYS: wholeNumber(31, 3_650)
    .prefault("400")
    .describe("How many days the daily calls, tokens and legacy use of API clients are kept."),
  // The database keeps them for 7 days in any case (ADR 0176).
  MIGRATION_RETENTION_DAYS: wholeNumber(7, 3_650)
    .prefault("90")
    .describe("How many days the originals of a completed migration run are kept. Until then, it can be rolled back."),
  TRUST_PROXY: flag
    .prefault("false")
    .describe("Whether to trust X-Forwarded-For. Set it only behind a proxy that overwrites this header."),
  STAFF_SESSION_HOURS: wholeNumber(1, 168).prefault("12").describe("Maximum length of a staff session."),
  STAFF_IDLE_MINUTES: wholeNumber(1, 10_080).prefault("30").describe("Idle time after which staff are signed out."),
  WRONG_PASSWORD_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("10")
    .describe("Wrong passwords in 15 minutes for one account from one address."),
  WRONG_PASSWORD_ADDRESS_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("100")
    .describe("Wrong passwords in 15 minutes from one address, for all accounts."),
  WRONG_PASSWORD_ACCOUNT_LIMIT: wholeNumber(1, 1_000_000)
    .prefault("50")
    .describe("Wrong passwords in an hour for one account, from all addresses that are new to it."),
  OIDC_ISSUER: issuer
    .optional()
    .describe("Issuer of an OpenID provider for staff. It must verify the email address of the account."),
  OIDC_CLIENT_ID: text
    .optional()
    .describe("Crosswalk's client ID at the provider. The redirect URI is PUBLIC_URL/api/auth/callback/oidc."),
  OIDC_CLIENT_SECRET: text.optional().describe("Crosswalk's client secret at the provider."),
  OIDC_NAME: text.default("your organization").describe("Name of the provider on the sign-in page: Continue with …"),
});

type Settings = z.output<typeof settingsSchema>;
export type Config = Readonly<Settings & { IMAGE_STORE_DIR: string; CHECK_RESPONSES: boolean }>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset.
 *
 * @throws {SettingsError} with all problems, but without values, because some are secrets
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
    ...missingOfMail(given),
    ...samePort(given),
  ];
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  const settings = parsed.data;
  return Object.freeze({
    ...settings,
    CHECK_RESPONSES: settings.CHECK_RESPONSES ?? settings.NODE_ENV !== "production",
    IMAGE_STORE_DIR: settings.IMAGE_STORE_DIR ?? `${settings.CROSSWALK_DATA_DIR}/images`,
  });
}

/** Lists settings that IMAGE_STORE=s3 requires. */
function missingOfS3(given: Record<string, string | undefined>): string[] {
  if (given.IMAGE_STORE !== "s3") return [];
  const pair = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;
  const [lacking, ...both] = pair.filter((name) => given[name] === undefined);
  const halves =
    lacking && both.length === 0 ? [`${lacking} is required with ${pair.find((name) => name !== lacking)}`] : [];
  return [...(given.S3_BUCKET === undefined ? ["S3_BUCKET is required with IMAGE_STORE=s3"] : []), ...halves];
}

/** Lists settings that are missing if any setting of the OpenID provider is given. */
function missingOfOidc(given: Record<string, string | undefined>): string[] {
  const names = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"];
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map((name) => `${name} is required with ${names.find((other) => !missing.includes(other))}`);
}

function missingOfMail({ SMTP_URL, ALERT_FROM }: Record<string, string | undefined>): string[] {
  return SMTP_URL !== undefined && ALERT_FROM === undefined ? ["ALERT_FROM is required with SMTP_URL"] : [];
}

/** Links never use a request's Host header, so a server that other machines can reach needs PUBLIC_URL. */
function missingPublicUrl(given: Record<string, string | undefined>): string[] {
  if (given.PUBLIC_URL !== undefined) return [];
  const example = "such as https://crosswalk.example.org";
  if (given.HOST !== undefined && !isLoopback(given.HOST))
    return [`PUBLIC_URL is required where HOST is not this machine alone, ${example}`];
  return given.TRUST_PROXY === "true" ? [`PUBLIC_URL is required with TRUST_PROXY=true, ${example}`] : [];
}

function samePort({ PORT = "3000", METRICS_PORT }: Record<string, string | undefined>): string[] {
  return PORT === METRICS_PORT ? ["METRICS_PORT must differ from PORT"] : [];
}

const DATABASE_URLS = ["DATABASE_URL", "DATABASE_REPLICA_URL"] as const;
type Exposure = Pick<Config, "HOST" | "PUBLIC_URL" | "TRUST_PROXY" | (typeof DATABASE_URLS)[number]>;

/** Returns warnings about how the server and its data are exposed, for the console and the log at the start. */
export function exposureWarnings(settings: Exposure): string[] {
  const plain = DATABASE_URLS.filter((name) => isPlainOnNetwork(settings[name]));
  return [
    ...serverWarnings(settings),
    ...plain.map(
      (name) =>
        `${name} has no sslmode, so data of patients crosses the network unencrypted. sslmode=verify-full encrypts it, and sslmode=disable says that this is on purpose.`,
    ),
  ];
}

/** Returns whether connections to a database leave this machine without TLS, and no parameter of the URL says that they should. */
function isPlainOnNetwork(url: string | undefined): boolean {
  if (url === undefined || /[?&]ssl\w*=/.test(url)) return false;
  return parseDatabaseUrl(url).urls.some((one) => {
    const { hostname, searchParams } = new URL(one);
    const host = searchParams.get("host") ?? hostname;
    // A path is that of a socket. Without a host, it is this machine.
    return host !== "" && !/^(\/|%2f)/i.test(host) && !isLoopback(host);
  });
}

function serverWarnings({ HOST, PUBLIC_URL, TRUST_PROXY }: Exposure): string[] {
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

/** Returns the settings of this process, read on first use. */
export function config(): Config {
  return processWide("crosswalkConfig", () => loadConfig(process.env));
}

/** Returns the log file, or null for standard output. */
export function logFile(): string | null {
  return process.env.LOG_FILE || null;
}

/** Returns the log level. It ignores other settings, so that the logger can report invalid ones. */
export function logLevel(): string {
  const parsed = settingsSchema.shape.LOG_LEVEL.safeParse(process.env.LOG_LEVEL || undefined);
  return parsed.success ? parsed.data : "info";
}

/**
 * Returns the origin of all links: PUBLIC_URL, which is required if other machines can reach the server. Links never use a request's Host
 * header, because the client chooses it.
 */
export function publicOrigin(): string {
  const { PUBLIC_URL, PORT } = config();
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}
