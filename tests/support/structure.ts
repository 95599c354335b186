// The rules of design §1 on files and imports: each is a function from sources to what is wrong with them.
import fs from "node:fs";
import path from "node:path";

/** Sources by their path in the project. */
export type Sources = ReadonlyMap<string, string>;
export type Guard = (sources: Sources) => string[];

const ROOTS = ["app", "bench", "components", "lib", "prisma", "scripts", "tests"];
const SOURCE = /\.(ts|tsx|mjs|css)$/;

/** Every source file of the project; what is generated is not among them. */
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

interface Import {
  /** As written. */
  from: string;
  /** The file of the project it means, or null for a package. */
  file: string | null;
  /** Erased when the code runs. */
  typeOnly: boolean;
}

const STATEMENT = /(?:^|\n)(?:import|export)\s+(type\s+)?((?:[\w*$\s,]|\{[^}]*\})*?)\s*from\s+"([^"]+)"/g;
const BARE = /(?:^|\n)import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

/** What a file imports or re-exports. */
export function importsOf(sources: Sources, file: string): Import[] {
  const text = withoutComments(sources.get(file) ?? "");
  const found: Import[] = [];
  for (const [, type, names = "", from = ""] of text.matchAll(STATEMENT)) {
    const braces = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
    const named = braces
      ?.split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const typeOnly =
      type !== undefined ||
      (named !== undefined && named.length > 0 && named.every((name) => name.startsWith("type ")));
    found.push({ from, file: resolve(sources, file, from), typeOnly });
  }
  for (const [, bare, dynamic] of text.matchAll(BARE)) {
    const from = (bare ?? dynamic) as string;
    found.push({ from, file: resolve(sources, file, from), typeOnly: false });
  }
  return found;
}

function resolve(sources: Sources, importer: string, from: string): string | null {
  if (!from.startsWith("@/") && !from.startsWith(".")) return null;
  const base = from.startsWith("@/") ? from.slice(2) : path.posix.join(path.posix.dirname(importer), from);
  const candidates = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`];
  return candidates.find((name) => sources.has(name)) ?? base;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1");
}

const values = (sources: Sources, file: string) => importsOf(sources, file).filter(({ typeOnly }) => !typeOnly);
const filesOf = (sources: Sources, pattern: RegExp) => [...sources.keys()].filter((file) => pattern.test(file));
const isRoute = /^app\/api\/(2\.0|staff)\/.*route\.ts$/;
const FRAMEWORK = /^(next|react|react-dom)(\/|$)/;

/** Inputs lose what is typed before their page is ready, unless they are those of components/ui/controls. */
export const inputsWaitForTheirPage: Guard = (sources) =>
  filesOf(sources, /^(app|components)\/.*\.tsx$/)
    .filter((file) => file !== "components/ui/controls.tsx" && file !== "components/shell/palette-waiting.tsx")
    .filter((file) => /<(input|select|textarea)\b/.test(withoutComments(sources.get(file) ?? "")))
    .map((file) => `${file} has an input that is not of components/ui/controls`);

/** A route file is declarations: no database, no framework, no environment, no error handling, no response of its own. */
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
    const imports = importsOf(sources, file).filter(({ from }) => /^@\/lib\/db\/|^pg$|^@prisma\//.test(from));
    const header = sources.get(file)?.startsWith("// ") ? [] : [`${file} has no header line`];
    return [...found, ...header, ...imports.map(({ from }) => `${file} imports ${from}`)];
  });

/** The API's functions run under a plain Node server too: nothing they reach imports Next or React. */
export const apiRunsWithoutNext: Guard = (sources) => {
  const reached = new Set(filesOf(sources, /^app\/api\/(2\.0|staff)\//));
  for (const file of reached)
    for (const { file: next } of values(sources, file)) if (next && sources.has(next)) reached.add(next);
  return [...reached].flatMap((file) =>
    values(sources, file).flatMap(({ from }) => (FRAMEWORK.test(from) ? [`${file} imports ${from}`] : [])),
  );
};

const DATABASE = /^lib\/db\/(sql|prisma|pool|transaction)\.ts$/;
const MAY_USE_DATABASE = [
  /^lib\/db\//,
  /^lib\/[\w-]+\/(.*-)?queries(\/.*)?\.ts$/,
  /^lib\/[\w-]+\/(.*-)?commands(\/.*)?\.ts$/,
  /^lib\/sync\/outbox\.ts$/,
  /^lib\/health/,
];

/** Only queries, commands and the outbox use the database client; `exceptions` are files, each with its reason. */
export const onlyQueriesAndCommandsUseTheDatabase =
  (exceptions: Readonly<Record<string, string>>): Guard =>
  (sources) =>
    filesOf(sources, /^(app|components|lib)\//)
      .filter((file) => !MAY_USE_DATABASE.some((pattern) => pattern.test(file)) && !(file in exceptions))
      .flatMap((file) =>
        values(sources, file).flatMap(({ file: to }) => (to && DATABASE.test(to) ? [`${file} imports ${to}`] : [])),
      );

/** Which domain folder of lib owns which tables. */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  policies: ["policy", "policy_version", "policy_card_image", "policy_tombstone", "deleted_image"],
  patients: ["patient", "patient_insurance", "legacy_card", "patient_version"],
  sync: ["sync_event"],
  oauth: ["oauth_client", "oauth_client_secret", "oauth_client_practice", "oauth_token", "client_use", "policy_use"],
  practices: ["practice", "organisation", "legacy_use"],
  physicians: ["physician", "provider_availability"],
  insurers: ["insurance_company", "insurance_plan"],
  idempotency: ["idempotency_key"],
  history: ["record_version"],
  events: ["subscription", "published_event", "webhook_attempt"],
  audit: ["audit_entry", "audit_chain"],
  migration: [
    ...["import_run", "migration_run", "migration_part", "migration_record", "migration_image", "migration_reused_id"],
    ...["migration_finding", "migration_removal", "migration_day", "migration_sign_off"],
  ],
  resources: ["resource_record", "resource_key", "resource_file"],
  staff: ["staff_user", "staff_user_practice", "staff_session", "wrong_password"],
};
const OWNER = new Map(Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/** A domain folder reaches only into its own tables, by SQL or by Prisma. */
export const domainsKeepToTheirTables =
  (exceptions: Readonly<Record<string, string>>): Guard =>
  (sources) =>
    filesOf(sources, /^(lib|app|components)\/.*\.tsx?$/).flatMap((file) => {
      const text = withoutComments(sources.get(file) ?? "");
      const named = [
        ...text.matchAll(
          /\b(?:(?:FROM|JOIN|INTO|UPDATE|TRUNCATE(?: TABLE)?)\s+(?:ONLY\s+)?"?|insertInto\(\s*")([a-z_]+)"?/g,
        ),
      ];
      const models = [
        ...text.matchAll(
          /\b(?:prisma\(\)|prisma|tx)\.([a-z]\w*)\.(?:find|create|update|upsert|delete|count|aggregate|groupBy)/g,
        ),
      ];
      const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const tables = new Set([
        ...named.map(([, table]) => table as string),
        ...models.map(([, model]) => snake(model as string)),
      ]);
      const domain = file.split("/")[0] === "lib" ? file.split("/")[1] : file;
      return [...tables].flatMap((table) => {
        const owner = OWNER.get(table);
        const allowed = owner === undefined || owner === domain || `${file} ${table}` in exceptions;
        return allowed ? [] : [`${file} reaches into ${table}, which is ${owner}'s`];
      });
    });

const LAYERS = ["lib", "components", "app"];

/** Imports run app → components → lib; none of them imports bench, scripts or tests. */
export const importsRunDownwards: Guard = (sources) =>
  filesOf(sources, /^(app|components|lib)\//).flatMap((file) => {
    const own = LAYERS.indexOf(file.split("/")[0] as string);
    return importsOf(sources, file).flatMap(({ file: to }) => {
      const root = to?.split("/")[0] ?? "";
      const wrong = root === "bench" || root === "scripts" || root === "tests" || LAYERS.indexOf(root) > own;
      return wrong ? [`${file} imports ${to}`] : [];
    });
  });

/** No file is reached from itself by imports that are there when the code runs. */
export const noImportCycles: Guard = (sources) => {
  const graph = new Map(
    filesOf(sources, /^(app|components|lib)\//).map((file) => [
      file,
      values(sources, file).flatMap(({ file: to }) => to ?? []),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]) => {
    const at = trail.indexOf(file);
    if (at >= 0) cycles.push([...trail.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
};

/** The environment is read in one place. */
export const oneReaderOfTheEnvironment: Guard = (sources) =>
  filesOf(sources, /^(app|components|lib)\//)
    .filter((file) => file !== "lib/config.ts" && /process\.env/.test(withoutComments(sources.get(file) ?? "")))
    .map((file) => `${file} reads process.env`);

const LONGEST = 400;

/** No file is too long to be read at once. */
export const filesAreShort: Guard = (sources) =>
  [...sources].flatMap(([file, text]) => {
    const lines = text.split("\n").length - 1;
    return lines > LONGEST ? [`${file} has ${lines} lines`] : [];
  });

const VOCABULARY = /^((.+-)?(queries|commands)|schema|dto|rules|events)(\.ts|\/)/;
/** Folders of lib that hold a domain. The rest is what domains stand on. */
const DOMAINS = [
  "practices",
  "patients",
  "policies",
  "insurers",
  "physicians",
  "events",
  "migration",
  "staff",
  "oauth",
  "sync",
  "audit",
  "openapi",
  "charts",
  "ccda",
  "printing",
];

/** A domain folder is a closed vocabulary; `exceptions` are further files, each with its reason. */
export const domainsSpeakOneVocabulary =
  (exceptions: Readonly<Record<string, string>>): Guard =>
  (sources) =>
    filesOf(sources, new RegExp(`^lib/(${DOMAINS.join("|")})/`))
      .filter((file) => !VOCABULARY.test(file.split("/").slice(2).join("/")) && !(file in exceptions))
      .map((file) => `${file} is no word of a domain folder`);

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const NOTHING_SAYING = /(^|-)(index|utils?|helpers?|services?(?!-locations)|managers?|common|misc|shared)(-|$)/;

/** Names are kebab-case and say something. Below app/api/2.0 they are the wire's. */
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

/** Nothing is passed on for the sake of a shorter import. */
export const noBarrels: Guard = (sources) =>
  filesOf(sources, /^(app|bench|components|lib|scripts|tests)\/.*\.(ts|tsx|mjs)$/).flatMap((file) => {
    const text = withoutComments(sources.get(file) ?? "");
    return /(?:^|\n)export\s+(\*|\{[^}]*\}|type\s+\{[^}]*\})\s*(as\s+\w+\s+)?from\b/.test(text)
      ? [`${file} re-exports`]
      : [];
  });

/** Forbids `URL.canParse`, which rejects valid URLs in Node.js 20 after many calls (lib/parse-url.ts). */
export const parseUrlIsAsked: Guard = (sources) =>
  filesOf(sources, /^(app|components|lib)\/.*\.tsx?$/).flatMap((file) =>
    withoutComments(sources.get(file) ?? "").includes("URL.canParse")
      ? [`${file} asks URL.canParse, not parseUrl`]
      : [],
  );
