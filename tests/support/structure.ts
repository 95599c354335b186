// Rules on files that no linter knows: each is a function from sources to the list of violations. The import rules are
// in .dependency-cruiser.mjs.
import fs from "node:fs";
import path from "node:path";

/** Sources by their path in the project. */
export type Sources = ReadonlyMap<string, string>;
export type Guard = (sources: Sources) => string[];

const ROOTS = ["app", "bench", "components", "lib", "prisma", "scripts", "tests"];
const SOURCE = /\.(ts|tsx|mjs|css)$/;

/** Reads every source file of the project, except generated files. */
export function readSources(root: string): Sources {
  const sources = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (SOURCE.test(name)) sources.set(name, fs.readFileSync(path.join(root, name), "utf8"));
    }
  };
  for (const folder of ROOTS.filter((name) => fs.existsSync(path.join(root, name)))) visit(folder);
  return sources;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");
}

const filesOf = (sources: Sources, pattern: RegExp) => [...sources.keys()].filter((file) => pattern.test(file));
const isRoute = /^app\/api\/(2\.0|staff)\/.*route\.ts$/;

/** Requires the inputs of components/ui/controls, because others lose what is typed before their page is ready. */
export const inputsWaitForTheirPage: Guard = (sources) =>
  filesOf(sources, /^(app|components)\/.*\.tsx$/)
    .filter((file) => file !== "components/ui/controls.tsx" && file !== "components/shell/palette-fallback.tsx")
    .filter((file) => /<(input|select|textarea)\b/.test(withoutComments(sources.get(file) ?? "")))
    .map((file) => `${file} has an input that is not from components/ui/controls`);

/** Limits a route file to declarations: no database, framework, environment, error handling or custom response. */
export const routesOnlyDeclare: Guard = (sources) =>
  filesOf(sources, isRoute).flatMap((file) => {
    const text = withoutComments(sources.get(file) ?? "");
    const banned: [RegExp, string][] = [
      [/process\.env/, "reads the environment"],
      [/\btry\s*\{|\.catch\(/, "handles errors"],
      [/new Response\b|Response\.(json|redirect|error)\(/, "builds a response"],
      [/[Pp]risma/, "uses Prisma"],
    ];
    const found = banned.flatMap(([pattern, problem]) => (pattern.test(text) ? [`${file} ${problem}`] : []));
    const header = sources.get(file)?.startsWith("// ") ? [] : [`${file} has no header line`];
    return [...found, ...header];
  });

/** The tables of each layer of lib. */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  "lib/access": [
    "audit_anchor",
    "audit_block",
    "audit_entry",
    "audit_log",
    "audit_pending",
    "audit_removal",
    "client_usage",
    "failed_sign_in",
    "idempotency_key",
    "oauth_client",
    "oauth_client_practice",
    "oauth_client_secret",
    "oauth_token",
    "organization",
    "policy_usage",
    "record_version",
    "staff_session",
    "staff_user",
    "staff_user_practice",
  ],
  "lib/events": ["event_count", "event_count_progress", "published_event", "subscription", "webhook_attempt"],
  "lib/practice": ["legacy_usage", "physician", "practice", "provider_availability"],
  "lib/insurance": [
    "deleted_image",
    "eligibility_check",
    "insurance_company",
    "insurance_plan",
    "legacy_card",
    "patient",
    "patient_insurance",
    "patient_version",
    "policy",
    "policy_card_image",
    "policy_note_change",
    "policy_tombstone",
    "policy_version",
    "replication_event",
  ],
  "lib/background": ["alert"],
  "lib/records": ["resource_file", "resource_key", "resource_record"],
  "lib/migration": [
    "migration_day",
    "migration_finding",
    "migration_image",
    "migration_part",
    "migration_record",
    "migration_removal",
    "migration_repeat",
    "migration_reused_id",
    "migration_run",
    "migration_sign_off",
  ],
};
const OWNER = new Map(Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/** Limits a layer to its own tables, in SQL and in queries. */
export const layersKeepToTheirTables =
  (exceptions: Readonly<Record<string, string>>): Guard =>
  (sources) =>
    filesOf(sources, /^(lib|app|components)\/.*\.tsx?$/).flatMap((file) => {
      const text = withoutComments(sources.get(file) ?? "");
      const sql = text.matchAll(
        /\b(?:(?:FROM|JOIN|INTO|UPDATE|TRUNCATE(?: TABLE)?)\s+(?:ONLY\s+)?"?|(?:insert|copy)Into\(\s*")([a-z_]+)"?/g,
      );
      const kysely = text.matchAll(/\.(?:\w*From|\w*Join|insertInto|updateTable|using)\(\s*"([a-z_]+)/g);
      const tables = new Set([...sql, ...kysely].map(([, table]) => table as string));
      const layer = file.split("/").slice(0, 2).join("/");
      return [...tables].flatMap((table) => {
        const owner = OWNER.get(table);
        const allowed = owner === undefined || owner === layer || `${file} ${table}` in exceptions;
        return allowed ? [] : [`${file} reaches into ${table}, which is ${owner}'s`];
      });
    });

/** Allows one file to read the environment. */
export const oneReaderOfTheEnvironment: Guard = (sources) =>
  filesOf(sources, /^(app|components|lib)\//)
    .filter(
      (file) => file !== "lib/platform/config.ts" && /process\.env/.test(withoutComments(sources.get(file) ?? "")),
    )
    .map((file) => `${file} reads process.env`);

const MAX_LINES = 400;

/** Limits the length of a file. */
export const filesAreShort: Guard = (sources) =>
  [...sources].flatMap(([file, text]) => {
    const lines = text.split("\n").length - 1;
    return lines > MAX_LINES ? [`${file} has ${lines} lines`] : [];
  });

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const NOTHING_SAYING = /(^|-)(index|utils?|helpers?|services?(?!-locations)|managers?|common|misc|shared)(-|$)/;

/** Requires kebab-case names that say something. Names below app/api/2.0 are paths of the API. */
export const namesSaySomething: Guard = (sources) =>
  [...sources.keys()]
    .filter((file) => !file.startsWith("app/api/2.0/"))
    .flatMap((file) => {
      const segments = file
        .split("/")
        .map((segment) => segment.replace(/\.(test|spec|module|d)?\.?(ts|tsx|mjs|css)$/, ""));
      const plain = segments.map((segment) => segment.replace(/^[[(@.]+|[\])]+$/g, ""));
      const odd = plain
        .filter((segment) => !KEBAB.test(segment))
        .map((segment) => `${file}: ${segment} is not kebab-case`);
      const empty = plain
        .filter((segment) => NOTHING_SAYING.test(segment))
        .map((segment) => `${file}: ${segment} says nothing`);
      return [...odd, ...empty];
    });

/** Forbids files that only re-export. */
export const noBarrels: Guard = (sources) =>
  filesOf(sources, /^(app|bench|components|lib|scripts|tests)\/.*\.(ts|tsx|mjs)$/).flatMap((file) => {
    const text = withoutComments(sources.get(file) ?? "");
    return /(?:^|\n)export\s+(\*|\{[^}]*\}|type\s+\{[^}]*\})\s*(as\s+\w+\s+)?from\b/.test(text)
      ? [`${file} re-exports`]
      : [];
  });

/** Forbids `URL.canParse`, which rejects valid URLs in Node.js 20 after many calls (lib/platform/parse-url.ts). */
export const parseUrlIsAsked: Guard = (sources) =>
  filesOf(sources, /^(app|components|lib)\/.*\.tsx?$/).flatMap((file) =>
    withoutComments(sources.get(file) ?? "").includes("URL.canParse")
      ? [`${file} uses URL.canParse instead of parseUrl`]
      : [],
  );
