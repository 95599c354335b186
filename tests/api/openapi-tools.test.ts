// The OpenAPI document in the tools that others use: linters, and generators of TypeScript clients, whose output compiles.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate as generateWithCodegen } from "openapi-typescript-codegen";
import { generate as generateWithOrval } from "orval";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { apiDescription } from "../support/contract/operations";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Inside the project, so that generated code finds the packages it imports; another run may be active. */
const FOLDER = path.join(ROOT, "build", `openapi-tools-${process.pid}`);
const DOCUMENT = path.join(FOLDER, "openapi.json");
const text = JSON.stringify(apiDescription);

beforeAll(() => {
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(DOCUMENT, text);
});
afterAll(() => fs.rmSync(FOLDER, { recursive: true, force: true }));

/** Counts problems by rule, each with an example. */
function summarize(problems: readonly { rule: string; about: string }[]): Record<string, string> {
  const rules = [...new Set(problems.map(({ rule }) => rule))];
  return Object.fromEntries(
    rules.map((name) => {
      const [first, ...others] = problems.filter(({ rule }) => rule === name);
      return [name, `${others.length + 1}, such as ${first?.about}`];
    }),
  );
}

test("redocly's recommended rules find nothing", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, config, absoluteRef: DOCUMENT });
  const found = problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    about: `${message} (${location[0]?.pointer})`,
  }));
  expect(summarize(found)).toEqual({});
});

/** Has Spectral check equal examples once: it compiles their whole schema for each operation that has them. */
function checkEqualExamplesOnce() {
  const { then: rule } = spectralRulesets.oas.rules["oas3-valid-media-example"];
  const check = rule.function;
  const checked = new Set<string>();
  return vi.spyOn(rule, "function").mockImplementation((media, options, context) => {
    const direction = ["requestBody", "responses"].filter((part) => context.path.includes(part));
    const key = JSON.stringify([direction, media]);
    if (checked.has(key)) return;
    checked.add(key);
    return check(media, options, context);
  });
}

test("spectral's rules for OpenAPI find nothing", async () => {
  const spectral = new spectralCore.Spectral();
  // Its type lacks a field that rulesets need not have.
  spectral.setRuleset({ extends: [spectralRulesets.oas as never] });
  const spy = checkEqualExamplesOnce();
  const problems = await spectral.run(JSON.parse(text)).finally(() => spy.mockRestore());
  const found = problems.map(({ code, message, path: place }) => ({
    rule: String(code),
    about: `${message} (${place.join(".")})`,
  }));
  expect(summarize(found)).toEqual({});
});

const GENERATORS: Record<string, (folder: string) => Promise<unknown>> = {
  "openapi-typescript": async (folder) => {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "api.ts"), astToString(await openapiTypescript(text)));
  },
  "hey-api": (folder) => createClient({ input: DOCUMENT, output: folder, logs: { level: "silent" } }),
  orval: async (folder) => {
    const quiet = vi.spyOn(console, "log").mockImplementation(() => {});
    const output = { target: path.join(folder, "api.ts"), client: "fetch", mode: "single" } as const;
    await generateWithOrval({ input: { target: DOCUMENT }, output }).finally(() => quiet.mockRestore());
  },
  "openapi-typescript-codegen": (folder) => generateWithCodegen({ input: DOCUMENT, output: folder }),
};

const COMPILER = {
  target: "ES2023",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["ES2023", "DOM", "DOM.Iterable"],
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

test("four generators make clients that compile", async () => {
  for (const [name, generate] of Object.entries(GENERATORS)) {
    await generate(path.join(FOLDER, name));
    expect([name, fs.readdirSync(path.join(FOLDER, name)).length > 0]).toEqual([name, true]);
  }
  fs.writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER }));
  const args = ["node_modules/typescript-7/bin/tsc", "-p", FOLDER, "--pretty", "false"];
  const child = spawn(process.execPath, args, { cwd: ROOT });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, output.split("\n").slice(0, 5).join("\n")]).toEqual([0, ""]);
});
