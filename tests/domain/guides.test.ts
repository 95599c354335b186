// Runs every command in docs/guides/ in order, and compares its output with the guide.
import fs from "node:fs";
import type http from "node:http";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiRoutes } from "@/generated/api-routes";
import { createClient } from "@/lib/access/clients/commands";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { startWebhooks } from "@/lib/background/webhooks";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import type { Background } from "@/lib/platform/jobs/background";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { type Basics, seedBasics, seedPatient } from "../support/api";
import { hasCurl } from "../support/guide-tools.mjs";
import { blockOf, differences, ROOT, readGuide, Shell, stepsOf, withSettings } from "../support/guides";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

// Read once, by the first test that needs it.
process.env.WEBHOOK_ALLOW_PRIVATE = "true";
const port = await freePort();
process.env.PUBLIC_URL = `http://127.0.0.1:${port}`;

let basics: Basics;
let server: http.Server;
let delivery: Background;
let receiver: Receiver;
const settings: Record<string, string | number> = {};

beforeAll(async () => {
  basics = await seedBasics();
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end();
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  await listen(server, { port, host: "127.0.0.1" });
  delivery = startWebhooks();
  receiver = await startReceiver();
  const { organization: organizationId, enabled } = basics;
  const [one, other] = await Promise.all(
    ["One", "Other"].map((name) => createClient({ name, organizationId, practices: [enabled], scopedTokens: true })),
  );
  Object.assign(settings, {
    API: `http://127.0.0.1:${port}/api/2.0`,
    ID: one?.clientId,
    SECRET: one?.clientSecret,
    OTHER_ID: other?.clientId,
    OTHER_SECRET: other?.clientSecret,
    PRACTICE: enabled,
    PHYSICIAN: basics.physicians.enabled,
    TARGET: `http://127.0.0.1:${receiver.port}/crosswalk`,
  });
});
afterAll(async () => {
  await delivery.stop();
  await stopReceivers();
  await stopServer(server, 1000);
});

/** Guides whose commands need another installation, or change one. */
const NOT_RUN = new Set(["backup.md", "database.md", "high-availability.md", "running.md", "upgrading.md"]);
const GUIDES = fs.readdirSync(path.join(ROOT, "docs/guides"));
const RUN = GUIDES.filter((name) => !NOT_RUN.has(name) && stepsOf(readGuide(name)).length > 0);
if (!hasCurl()) console.warn("! curl is missing: the commands of the guides are not run.");

describe.skipIf(!hasCurl()).each(RUN)("docs/guides/%s, pasted from top to bottom", (name) => {
  let shell: Shell;
  let broken = false;
  beforeAll(async () => {
    settings.PATIENT = await seedPatient(basics.enabled, basics.physicians.enabled);
    shell = new Shell();
  });
  afterAll(() => shell.close());
  afterEach(({ task }) => {
    broken ||= task.result?.state === "fail";
  });

  // guide-receivers.test.ts starts the real receivers; a substitute responds here.
  const steps = stepsOf(readGuide(name)).filter(({ commands }) => !commands.includes("receiver."));
  const cases = steps.map((step) => [step.title, step] as const);
  test.each(cases)("%s", async (_title, { commands, expected }) => {
    if (broken) throw new Error("an earlier command of this guide failed");
    const output = await shell.run(withSettings(commands, settings));
    if (expected) expect(differences(output, expected)).toEqual([]);
    // Commands that set variables or define functions have no output.
    else expect(output.replaceAll(/^npm warn .*$/gm, "").trim()).toBe("");
  });
});

test("a delivery has the fields and headers that docs/guides/webhooks.md shows", () => {
  // The guide sends a test event before.
  const request = receiver.requests.find(({ body }) => !body.includes('"action":"test"'));
  const blocks = readGuide("webhooks.md");
  const shown = JSON.parse(blockOf(blocks, "json"));
  const arrived = JSON.parse(request?.body ?? "null");
  expect(Object.keys(arrived)).toEqual(Object.keys(shown));
  expect(Object.keys(arrived.data)).toEqual(expect.arrayContaining(Object.keys(shown.data)));
  const text = fs.readFileSync(path.join(ROOT, "docs/guides/webhooks.md"), "utf8");
  const [, section = ""] = text.split("\n## What you receive\n");
  const [table = ""] = section.split("```json");
  const headers = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);
  expect(headers).toHaveLength(5);
  expect(Object.keys(request?.headers ?? {})).toEqual(expect.arrayContaining(headers));
  expect(request?.headers["webhook-id"]).toBe(arrived.event_uuid);
});

test("docs/guides/pagination.md names every list that is not paged", () => {
  const whole = apiRoutes.flatMap(({ path: at, module }) => {
    const { response } = (module.GET as RouteHandler | undefined)?.declaration ?? {};
    return response instanceof z.ZodArray ? [at.split("/").at(-1)] : [];
  });
  expect(whole.length).toBeGreaterThan(3);
  const text = fs.readFileSync(path.join(ROOT, "docs/guides/pagination.md"), "utf8");
  expect(whole.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("every file that the guides name exists", () => {
  for (const name of GUIDES) {
    const text = fs.readFileSync(path.join(ROOT, "docs/guides", name), "utf8");
    const links = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map((match) => match[1] as string);
    for (const link of links) expect(fs.existsSync(path.join(ROOT, "docs/guides", link))).toBe(true);
  }
});
