// The program in docs/guides/typed-client.md compiles with generated types and does what the guide says.
import { spawn } from "node:child_process";
import fs from "node:fs";
import type http from "node:http";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { createClient } from "@/lib/access/clients/commands";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { type Basics, seedBasics } from "../support/api";

const ROOT = path.resolve(import.meta.dirname, "../..");
const EXAMPLE = path.join(ROOT, "docs/examples/client.ts");
/** Inside the project, so that it finds the packages it imports; another run may be active. */
const FOLDER = path.join(ROOT, "build", `client-test-${process.pid}`);

let basics: Basics;
let server: http.Server;
let url: string;

beforeAll(async () => {
  basics = await seedBasics();
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end();
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  url = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(async () => {
  await stopServer(server, 1000);
  fs.rmSync(FOLDER, { recursive: true, force: true });
});

/** Runs a Node program until it exits; returns its exit code and output. */
function node(args: string[], env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

const COMPILER = {
  target: "ES2023",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["ES2023", "DOM"],
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

test("openapi-typescript generates a client from the description. The example compiles with it, and what the description does not contain is rejected", async () => {
  const types = path.join(FOLDER, "crosswalk-api.d.ts");
  expect(await node(["--import", "tsx", "scripts/write-client.ts", types])).toMatchObject({ code: 0 });
  expect(fs.readFileSync(types, "utf8")).toContain('"/api/2.0/allergies/{id}"');
  const example = fs.readFileSync(EXAMPLE, "utf8");
  const wrong = example.replace('carrier: "Acme Health"', "carrier: 7");
  fs.writeFileSync(path.join(FOLDER, "client.ts"), example);
  fs.writeFileSync(path.join(FOLDER, "wrong.ts"), wrong);
  const project = { compilerOptions: COMPILER, include: ["client.ts", "wrong.ts", "crosswalk-api.d.ts"] };
  fs.writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(project));
  const { code, output } = await node(["node_modules/typescript-7/bin/tsc", "-p", FOLDER, "--pretty", "false"]);
  expect(code).not.toBe(0);
  const line = wrong.split("\n").findIndex((text) => text.includes("carrier: 7")) + 1;
  const places = [...output.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, at]) => [
    path.basename(file ?? ""),
    at,
  ]);
  expect(places, output).toEqual([["wrong.ts", String(line)]]);
});

test("the example runs through, from token to event", async () => {
  fs.copyFileSync(EXAMPLE, path.join(FOLDER, "client.ts"));
  const { organization: organizationId, enabled } = basics;
  const [one, other] = await Promise.all(
    ["One", "Other"].map((name) => createClient({ name, organizationId, practices: [enabled] })),
  );
  const env = {
    CROSSWALK_URL: url,
    ID: one?.clientId ?? "",
    SECRET: one?.clientSecret ?? "",
    OTHER_ID: other?.clientId ?? "",
    OTHER_SECRET: other?.clientSecret ?? "",
  };
  const { code, output } = await node(["--import", "tsx", path.join(FOLDER, "client.ts")], env);
  const lines = output.trim().split("\n");
  expect([code, lines.slice(0, 4)]).toEqual([
    0,
    [
      "patient Maria Lopez",
      "policy with rank 1, version 1",
      "card image 1, image/png",
      "legacy primary: Acme Health A1",
    ],
  ]);
  // One for each of its three writes.
  expect(lines.slice(4)).toEqual(Array(3).fill("event saved patients"));
});

test("docs/guides/typed-client.md shows this program", () => {
  const guide = fs.readFileSync(path.join(ROOT, "docs/guides/typed-client.md"), "utf8");
  const shown = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  expect(shown).toEqual([fs.readFileSync(EXAMPLE, "utf8")]);
});
