// The rules of design §1 hold for every file; and each guard finds what it is there to find.
import path from "node:path";
import { describe, expect, test } from "vitest";
import * as structure from "@/tests/support/structure";

const sources = structure.readSources(path.resolve(import.meta.dirname, "../.."));

/** Files that use the database client though they are neither queries nor commands, and why. */
const DATABASE: Record<string, string> = {
  "lib/http/idempotency.ts": "marks the key in the transaction of the write: the commit hook, never a query",
  "lib/sync/deliver.ts": "applies and acknowledges an event in one transaction",
  "lib/sync/write.ts": "opens the one transaction of a write",
};
/** `file table` where a domain reaches into another's table, and why. */
const TABLES: Record<string, string> = {};
/** Files of domain folders beyond the vocabulary, and why. */
const WORDS: Record<string, string> = {
  "lib/oauth/access.ts": "the branded type that only the gate mints",
  "lib/oauth/authenticate.ts": "the gate itself",
  "lib/oauth/scopes.ts": "the scope table of the specification, as data",
  "lib/oauth/secrets.ts": "random secrets and their hashes",
  "lib/staff/access.ts": "from a browser's cookie to what its user may reach: the gate of the staff side",
  "lib/staff/known-devices.ts": "the cookie by which a browser is known again",
  "lib/staff/passwords.ts": "password hashes",
  "lib/staff/sign-in-reply.ts": "the answer to a sign-in: 429, and the cookie of a known browser",
  "lib/staff/sign-in.ts": "next-auth's options: who may sign in, and the cookie",
  "lib/patients/filter.ts": "the contract's query parameters of the list",
  "lib/patients/lock.ts": "the branded type of a patient whose row is held",
  "lib/patients/reply.ts": "the deprecation headers that go with a patient's answer",
  "lib/sync/consumer.ts": "the stream's consumer",
  "lib/events/deliver.ts": "one attempt to deliver an event, from claim to outcome",
  "lib/events/delivery-loop.ts": "what sends webhooks beside the requests",
  "lib/sync/changes.ts": "the words of the stream",
  "lib/sync/deliver.ts": "one event to its other side, exactly once",
  "lib/sync/outbox.ts": "publishes in the write's own transaction",
  "lib/sync/unit.ts": "one write on a locked patient",
  "lib/sync/write.ts": "the way every write on a patient takes",
};

/** Each guard, and made-up files it must complain of. */
const GUARDS: [name: string, guard: structure.Guard, violations: Record<string, string>[]][] = [
  [
    "route files only declare",
    structure.routesOnlyDeclare,
    [
      'import { db } from "@/lib/db/sql";',
      'import { PrismaClient } from "@prisma/client";',
      "const a = process.env.A;",
      "try { go(); } catch {}",
      "go().catch(() => {});",
      "const a = new Response();",
      "const a = Response.json({});",
      "/* no header */",
    ].map((line) => ({ "app/api/2.0/things/route.ts": line.startsWith("/*") ? line : `// GET things\n${line}\n` })),
  ],
  [
    "the API reaches neither Next nor React",
    structure.apiRunsWithoutNext,
    [
      { "app/api/2.0/a/route.ts": 'import { headers } from "next/headers";' },
      { "app/api/2.0/a/route.ts": 'import { x } from "@/lib/x";', "lib/x.ts": 'import React from "react";' },
    ],
  ],
  [
    "only queries and commands use the database",
    structure.onlyQueriesAndCommandsUseTheDatabase(DATABASE),
    [
      { "lib/policies/rules.ts": 'import { db } from "@/lib/db/sql";', "lib/db/sql.ts": "" },
      { "lib/policies/dto.ts": 'import { prisma } from "../db/prisma";', "lib/db/prisma.ts": "" },
      { "components/policies/list.tsx": 'const { db } = await import("@/lib/db/sql");', "lib/db/sql.ts": "" },
    ],
  ],
  [
    "a domain keeps to its tables",
    structure.domainsKeepToTheirTables(TABLES),
    [
      { "lib/policies/queries.ts": "sql`SELECT 1 FROM patient WHERE id = 1`" },
      { "lib/patients/commands/x.ts": "sql`UPDATE policy SET rank = 1`" },
      { "lib/patients/queries.ts": "sql`SELECT 1 FROM x JOIN practice p ON true`" },
      { "lib/insurers/commands.ts": "sql`DELETE FROM sync_event`" },
      { "lib/oauth/commands.ts": "await prisma().practice.count({})" },
      { "lib/oauth/commands.ts": "await prisma().insuranceCompany.findMany({})" },
    ],
  ],
  [
    "imports run app → components → lib",
    structure.importsRunDownwards,
    [
      { "lib/x.ts": 'import type { A } from "@/app/page";' },
      { "lib/x.ts": 'import { A } from "../components/ui/button";' },
      { "components/ui/button.tsx": 'import { A } from "@/app/page";' },
      { "app/page.tsx": 'import { A } from "@/tests/support/api";' },
      { "lib/x.ts": 'import { A } from "@/scripts/lib/paths.mjs";' },
    ],
  ],
  [
    "imports make no cycle",
    structure.noImportCycles,
    [
      {
        "lib/a.ts": 'import { b } from "./b";',
        "lib/b.ts": 'import {\n  type C,\n  c,\n} from "@/lib/c";',
        "lib/c.ts": 'export { a } from "./a";',
      },
      { "lib/a.ts": 'import { a } from "./a";' },
    ],
  ],
  [
    "the environment has one reader",
    structure.oneReaderOfTheEnvironment,
    [{ "lib/log.ts": "const level = process.env.LOG_LEVEL;" }, { "components/x.tsx": "process.env" }],
  ],
  [
    "files are short",
    structure.filesAreShort,
    [{ "lib/a.ts": "a();\n".repeat(401) }, { "app/a.css": "\n".repeat(500) }],
  ],
  [
    "a domain folder is a closed vocabulary",
    structure.domainsSpeakOneVocabulary(WORDS),
    [{ "lib/policies/handler.ts": "" }, { "lib/patients/model/row.ts": "" }, { "lib/practices/my-rules.ts": "" }],
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
  test("everywhere in the project", () => {
    expect(guard(sources)).toEqual([]);
  });

  test.each(violations.map((files) => [JSON.stringify(files).slice(0, 90), files] as const))(
    "but not here: %s",
    (_text, files) => {
      expect(guard(new Map(Object.entries(files)))).not.toEqual([]);
    },
  );
});

describe("the guards", () => {
  test("see the project's files and the imports between them", () => {
    expect(sources.size).toBeGreaterThan(150);
    const imports = structure.importsOf(sources, "lib/http/endpoint.ts");
    const files = imports.map(({ file }) => file);
    expect(files).toContain("lib/oauth/authenticate.ts");
    expect(files).toContain("lib/http/errors.ts");
    expect(imports.find(({ file }) => file === "lib/oauth/access.ts")?.typeOnly).toBe(true);
    expect(imports.filter(({ from }) => /^[@.]/.test(from)).every(({ file }) => file && sources.has(file))).toBe(true);
  });

  test("take no type for a value, and no word of a comment for code", () => {
    const fine = new Map([
      ["lib/db/sql.ts", ""],
      ["lib/policies/rules.ts", 'import type { Db } from "@/lib/db/sql";\nimport { type Sql } from "@/lib/db/sql";\n'],
      ["lib/a.ts", 'import type { B } from "./b";\n// process.env, FROM patient\n'],
      ["lib/b.ts", 'import { a } from "./a";\n/* import "./b"; */\n'],
    ]);
    for (const [, guard] of GUARDS) expect(guard(fine)).toEqual([]);
  });

  test("know every table of the database", async () => {
    const { db, sql } = await import("@/lib/db/sql");
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

  test("name no exception that is not needed", () => {
    const needed = [
      ...structure.onlyQueriesAndCommandsUseTheDatabase({})(sources),
      ...structure.domainsSpeakOneVocabulary({})(sources),
      ...structure
        .domainsKeepToTheirTables({})(sources)
        .map((line) => line.replace(" reaches into", "").replace(/,.*/, "")),
    ].join("\n");
    for (const name of [DATABASE, TABLES, WORDS].flatMap(Object.keys)) expect(needed).toContain(name);
  });
});
