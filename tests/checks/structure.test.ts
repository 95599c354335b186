// Each guard holds for every file of the project, and finds the violations that it exists for.
import path from "node:path";
import { describe, expect, test } from "vitest";
import * as structure from "@/tests/support/structure";

const sources = structure.readSources(path.resolve(import.meta.dirname, "../.."));

/** `file table` where a layer uses another layer's table, and why. */
const TABLES: Record<string, string> = {
  "lib/access/tenancy/organizations.ts practice": "the tenancy",
  "lib/access/tenancy/organizations.ts patient": "the tenancy: which practice a patient belongs to",
  "lib/practice/members/commands.ts staff_user": "members are staff accounts, and their changes publish events",
  "lib/practice/members/commands.ts staff_user_practice": "members are staff accounts",
  "lib/practice/members/queries.ts staff_user": "members are staff accounts",
  "lib/practice/members/queries.ts staff_user_practice": "members are staff accounts",
  "lib/practice/record-lookups/queries.ts resource_record": "serves layers below lib/records",
};

/** Each guard, and made-up files that it must reject. */
const GUARDS: [name: string, guard: structure.Guard, violations: Record<string, string>[]][] = [
  [
    "route files only declare",
    structure.routesOnlyDeclare,
    [
      "const a = process.env.A;",
      "try { go(); } catch {}",
      "go().catch(() => {});",
      "const a = new Response();",
      "const a = Response.json({});",
      "/* no header */",
    ].map((line) => ({ "app/api/2.0/things/route.ts": line.startsWith("/*") ? line : `// GET things\n${line}\n` })),
  ],
  [
    "a layer keeps to its tables",
    structure.layersKeepToTheirTables(TABLES),
    [
      { "lib/practice/practices/queries.ts": "sql`SELECT 1 FROM patient WHERE id = 1`" },
      { "lib/events/published/x.ts": "sql`UPDATE policy SET rank = 1`" },
      { "lib/events/published/x.ts": 'tx.send(copyInto("policy", COLUMNS, rows))' },
      { "lib/insurance/legacy/queries.ts": "sql`SELECT 1 FROM x JOIN practice p ON true`" },
      { "lib/access/audit/commands.ts": "sql`DELETE FROM replication_event`" },
      { "lib/access/clients/commands.ts": 'db.rows(kysely.selectFrom("practice").select("id"))' },
      { "lib/access/audit/chain-queries.ts": 'oauth.innerJoin("practice as p", "p.id", "practice_id")' },
      { "lib/access/clients/commands.ts": 'db.run(kysely.deleteFrom("insurance_company as c"))' },
    ],
  ],
  [
    "the environment has one reader",
    structure.oneReaderOfTheEnvironment,
    [{ "lib/platform/log.ts": "const level = process.env.LOG_LEVEL;" }, { "components/x.tsx": "process.env" }],
  ],
  [
    "files are short",
    structure.filesAreShort,
    [{ "lib/a.ts": "a();\n".repeat(401) }, { "app/a.css": "\n".repeat(500) }],
  ],
  [
    "names are kebab-case and say something",
    structure.namesSaySomething,
    [
      { "lib/policies/myRules.ts": "" },
      { "lib/Policies/rules.ts": "" },
      { "components/ui/Button.tsx": "" },
      { "lib/date_text.ts": "" },
      { "lib/utils.ts": "" },
      { "lib/policies/policy-service.ts": "" },
      { "lib/helpers/dates.ts": "" },
      { "lib/policies/index.ts": "" },
    ],
  ],
  [
    "inputs wait for their page",
    structure.inputsWaitForTheirPage,
    [
      { "components/x.tsx": "<input value={a} />" },
      { "app/x.tsx": "<select\n value={a}>" },
      { "components/ui/y.tsx": "<textarea />" },
    ],
  ],
  [
    "there are no barrels",
    structure.noBarrels,
    [
      { "lib/policies/all.ts": 'export * from "./rules";' },
      { "lib/policies/all.ts": 'export { a } from "./rules";' },
      { "lib/policies/all.ts": 'export type {\n  A,\n} from "./rules";' },
      { "components/ui/all.ts": 'export * as ui from "./button";' },
    ],
  ],
  [
    "URLs are parsed by parseUrl",
    structure.parseUrlIsAsked,
    [{ "lib/webhooks/x.ts": "URL.canParse(target)" }, { "app/x.tsx": "if (!URL.canParse(to, OWN)) return;" }],
  ],
];

describe.each(GUARDS)("%s", (_name, guard, violations) => {
  test("holds for the whole project", () => {
    expect(guard(sources)).toEqual([]);
  });

  test.each(violations.map((files) => [JSON.stringify(files).slice(0, 90), files] as const))(
    "rejects %s",
    (_text, files) => {
      expect(guard(new Map(Object.entries(files)))).not.toEqual([]);
    },
  );
});

describe("the guards", () => {
  test("see the project's files", () => {
    expect(sources.size).toBeGreaterThan(150);
  });

  test("ignore comments", () => {
    const fine = new Map([
      ["lib/a.ts", 'import type { B } from "./b";\n// process.env, FROM patient\n'],
      ["lib/b.ts", 'import { a } from "./a";\n/* import "./b"; */\n'],
    ]);
    for (const [, guard] of GUARDS) expect(guard(fine)).toEqual([]);
  });

  test("know every table of the database", async () => {
    const { db, sql } = await import("@/lib/platform/db/sql");
    const rows = await db.rows<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`);
    const known = Object.values(structure.TABLES).flat();
    expect(
      rows
        .map(({ name }) => name)
        .filter((name) => !name.startsWith("_prisma"))
        .sort(),
    ).toEqual([...known].sort());
  });

  test("list no unnecessary exceptions", () => {
    const needed = structure
      .layersKeepToTheirTables({})(sources)
      .map((line) => line.replace(" reaches into", "").replace(/,.*/, ""));
    for (const name of Object.keys(TABLES)) expect(needed).toContain(name);
  });
});
