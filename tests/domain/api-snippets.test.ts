// The snippets of the API reference: every operation has them, they compile, and what they send succeeds.
import { spawn } from "node:child_process";
import type http from "node:http";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { SNIPPET_LANGUAGES, type SnippetLanguage, snippetsOf } from "@/lib/api/openapi/snippets";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { type Basics, seedBasics } from "../support/api";
import { apiDescription } from "../support/contract/operations";
import { hasCurl } from "../support/guide-tools.mjs";
import { seedClient, type TestClient } from "../support/oauth";

let basics: Basics;
let client: TestClient;
let server: http.Server;
let origin: string;
beforeAll(async () => {
  basics = await seedBasics();
  client = await seedClient({ organizationId: basics.organization, practices: [basics.enabled] });
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end();
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  origin = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(() => stopServer(server, 1_000));

const OPERATIONS = Object.entries(apiDescription.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ path, method })),
);

/** Runs a program and returns what it prints. */
function run(command: string, args: string[], input: string): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, TOKEN: basics.token } });
  child.stdin.end(input);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.once("close", () => resolve(output)));
}

const RUNNERS: Record<SnippetLanguage, (text: string) => Promise<string>> = {
  sh: (text) => run("bash", ["-s"], text.replace("curl ", "curl -s -w ' %{http_code}' ")),
  ts: (text) => run(process.execPath, ["--input-type=module"], text),
  python: (text) => run("python3", ["-"], text),
};

test("every operation has a snippet in each language, with its method and path, and without placeholders in braces", () => {
  for (const place of OPERATIONS) {
    const snippets = snippetsOf(apiDescription, { ...place, origin: "https://example.org" });
    for (const text of Object.values(snippets)) {
      const [address] = /https:\/\/example\.org\/api\/2\.0\/[^"']*/.exec(text) ?? [""];
      expect([text, address.includes("{"), text.includes(place.method.toUpperCase())]).toEqual([text, false, true]);
    }
    const { diagnostics } = ts.transpileModule(snippets.ts, { reportDiagnostics: true });
    expect([snippets.ts, diagnostics]).toEqual([snippets.ts, []]);
  }
});

test("every Python snippet compiles", async () => {
  const texts = OPERATIONS.map((place) => snippetsOf(apiDescription, { ...place, origin }).python);
  const program = "import json, sys\nfor text in json.load(sys.stdin): compile(text, text, 'exec')\nprint('ok')";
  expect(await run("python3", ["-c", program], JSON.stringify(texts))).toBe("ok\n");
});

describe.skipIf(!hasCurl())("snippets run as they are shown:", () => {
  test.each(SNIPPET_LANGUAGES)("%s", async (language) => {
    const snippet = (method: string, path: string) =>
      snippetsOf(apiDescription, { method, path: `/api/2.0/${path}`, origin })[language];
    const token = snippet("post", "oauth2/token")
      .replace("the-client-id", client.clientId)
      .replace("its-secret", client.clientSecret);
    expect(await RUNNERS[language](token)).toMatch(/"access_token".* 200$|^200 .*"access_token"/s);
    expect(await RUNNERS[language](snippet("get", "practices"))).toContain("Northside Family Medicine");
    const created = snippet("post", "insurance_companies").replace(/("practice": )1\b/, `$1${basics.enabled}`);
    expect(await RUNNERS[language](created)).toMatch(/"carrier".* 201$|^201 .*"carrier"/s);
  });
});
